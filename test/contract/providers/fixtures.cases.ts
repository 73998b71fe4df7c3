import type { FinishReason } from '../../../src/modules/providers/provider';
import type { FailureCode } from '../../../src/modules/providers/provider.error';

/** Tokens in this order: all input, of these cached, of these written to the cache; all output, of these reasoning. */
export type Counts = readonly [input: number, cached: number, written: number, output: number, reasoning: number];

/** The meaning of a recorded answer. `counts` and `cost` are absent if the vendor counted nothing. */
export interface AnswerCase {
  fixture: string;
  model: string;
  text?: string;
  finish?: FinishReason;
  counts?: Counts;
  /** In USD, worked out by hand from the catalog's price of 2026-11-24, a Tuesday, 12:00 UTC. */
  cost?: string;
  /** The charge that the vendor states. */
  stated?: string;
}

/** The text of all fixtures that do not say otherwise. */
export const PARIS = 'Paris is the capital of France.';

// The sums are in millionths of a dollar: tokens × dollars per million.
export const ANSWERS: readonly AnswerCase[] = [
  // gpt-6-luna: 496 × 0.10 + 1024 × 0.01 + 212 × 0.50 = 49.6 + 10.24 + 106 = 165.84
  { fixture: 'openai/answer.json', model: 'gpt-6-luna', counts: [1520, 1024, 0, 212, 192], cost: '0.00016584' },
  { fixture: 'openai/stream.txt', model: 'gpt-6-luna', counts: [1520, 1024, 0, 212, 192], cost: '0.00016584' },
  // 49.6 + 10.24 + 500 × 0.50 = 309.84
  {
    fixture: 'openai/answer-empty-by-reasoning.json',
    model: 'gpt-6-luna',
    text: '',
    finish: 'length',
    counts: [1520, 1024, 0, 500, 500],
    cost: '0.00030984',
  },
  // claude-sonnet-5-5: 24 × 2 + 231 × 10 = 48 + 2310 = 2358
  { fixture: 'anthropic/answer.json', model: 'claude-sonnet-5-5', counts: [24, 0, 0, 231, 209], cost: '0.002358' },
  { fixture: 'anthropic/stream.txt', model: 'claude-sonnet-5-5', counts: [24, 0, 0, 231, 209], cost: '0.002358' },
  // 10 + 123 + 504 in: 10 × 2 + 123 × 0.10 + 504 × 2.50 + 12 × 10 = 20 + 12.3 + 1260 + 120 = 1412.3
  {
    fixture: 'anthropic/answer-cached.json',
    model: 'claude-sonnet-5-5',
    counts: [637, 123, 504, 12, 0],
    cost: '0.0014123',
  },
  // 24 × 2 + 500 × 10 = 5048
  {
    fixture: 'anthropic/answer-max-tokens.json',
    model: 'claude-sonnet-5-5',
    text: '',
    finish: 'length',
    counts: [24, 0, 0, 500, 500],
    cost: '0.005048',
  },
  // claude-haiku-4-5: 14 × 1 + 10 × 5 = 64
  {
    fixture: 'anthropic/answer-2023-06-01.json',
    model: 'claude-haiku-4-5',
    counts: [14, 0, 0, 10, 0],
    cost: '0.000064',
  },
  // gemini-3.8-flash: 623 − 20 = 603 out, 405 of them unsaid: 20 × 0.75 + 603 × 3.75 = 15 + 2261.25 = 2276.25
  { fixture: 'gemini/answer.json', model: 'gemini-3.8-flash', counts: [20, 0, 0, 603, 0], cost: '0.00227625' },
  { fixture: 'gemini/stream.txt', model: 'gemini-3.8-flash', counts: [20, 0, 0, 603, 0], cost: '0.00227625' },
  // 81 − 21 = 60 out: 21 × 0.75 + 60 × 3.75 = 15.75 + 225 = 240.75
  {
    fixture: 'gemini/answer-with-details.json',
    model: 'gemini-3.8-flash',
    counts: [21, 0, 0, 60, 60],
    cost: '0.00024075',
  },
  // mistral-small-2603: 5 × 0.15 + 1008 × 0.015 + 30 × 0.60 = 0.75 + 15.12 + 18 = 33.87
  { fixture: 'mistral/answer.json', model: 'mistral-small-2603', counts: [1013, 1008, 0, 30, 0], cost: '0.00003387' },
  // 77 × 0.15 + 1114 × 0.60 = 11.55 + 668.4 = 679.95
  {
    fixture: 'mistral/answer-thinking.json',
    model: 'mistral-small-2603',
    counts: [77, 0, 0, 1114, 0],
    cost: '0.00067995',
  },
  // 19 × 0.15 + 7 × 0.60 = 2.85 + 4.2 = 7.05
  { fixture: 'mistral/stream.txt', model: 'mistral-small-2603', counts: [19, 0, 0, 7, 0], cost: '0.00000705' },
  // deepseek-flash, off-peak: 10 × 0.15 + 1024 × 0.003 + 310 × 0.60 = 1.5 + 3.072 + 186 = 190.572
  { fixture: 'deepseek/answer.json', model: 'deepseek-flash', counts: [1034, 1024, 0, 310, 298], cost: '0.000190572' },
  { fixture: 'deepseek/stream.txt', model: 'deepseek-flash', counts: [1034, 1024, 0, 310, 298], cost: '0.000190572' },
  {
    fixture: 'deepseek/stream-include-usage.txt',
    model: 'deepseek-flash',
    text: 'Paris.',
    counts: [1034, 1024, 0, 310, 298],
    cost: '0.000190572',
  },
  // grok-4.3: 14428 − 10120 = 4308 out: 9992 × 1.25 + 128 × 0.20 + 4308 × 2.50 = 12490 + 25.6 + 10770 = 23285.6, to the
  // digit what xAI charged
  {
    fixture: 'xai/answer.json',
    model: 'grok-4.3',
    counts: [10120, 128, 0, 4308, 2809],
    cost: '0.0232856',
    stated: '0.0232856',
  },
  {
    fixture: 'xai/stream.txt',
    model: 'grok-4.3',
    counts: [10120, 128, 0, 4308, 2809],
    cost: '0.0232856',
    stated: '0.0232856',
  },
  // groq/gpt-oss-20b: 10 × 0.075 + 64 × 0.0375 + 58 × 0.30 = 0.75 + 2.4 + 17.4 = 20.55
  { fixture: 'groq/answer.json', model: 'groq/gpt-oss-20b', counts: [74, 64, 0, 58, 41], cost: '0.00002055' },
  { fixture: 'groq/stream.txt', model: 'groq/gpt-oss-20b', counts: [74, 64, 0, 58, 41], cost: '0.00002055' },
  {
    fixture: 'groq/stream-no-include-usage.txt',
    model: 'groq/gpt-oss-20b',
    counts: [74, 64, 0, 58, 41],
    cost: '0.00002055',
  },
  // openrouter/kimi-k3: 194 × 3 + 120 × 15 = 582 + 1800 = 2382
  {
    fixture: 'openrouter/answer.json',
    model: 'openrouter/kimi-k3',
    counts: [194, 0, 0, 120, 96],
    cost: '0.002382',
    stated: '0.002382',
  },
  {
    fixture: 'openrouter/stream.txt',
    model: 'openrouter/kimi-k3',
    counts: [194, 0, 0, 120, 96],
    cost: '0.002382',
    stated: '0.002382',
  },
  { fixture: 'local/ollama-answer.json', model: 'local/own', counts: [26, 0, 0, 118, 0], cost: '0' },
  { fixture: 'local/ollama-stream.txt', model: 'local/own', counts: [26, 0, 0, 118, 0], cost: '0' },
  { fixture: 'local/vllm-answer.json', model: 'local/own', counts: [16, 0, 0, 24, 0], cost: '0' },
  { fixture: 'local/vllm-stream.txt', model: 'local/own', counts: [16, 0, 0, 24, 0], cost: '0' },
  { fixture: 'local/lmstudio-answer.json', model: 'local/own', counts: [20, 0, 0, 8, 0], cost: '0' },
  { fixture: 'local/lmstudio-stream.txt', model: 'local/own' },
  // Nothing in the answer says that the prompt did not fit.
  {
    fixture: 'local/lmstudio-answer-silent-overflow.json',
    model: 'local/own',
    text: '',
    counts: [36_000, 0, 0, 0, 0],
    cost: '0',
  },
  { fixture: 'local/llamacpp-answer.json', model: 'local/own', counts: [75, 0, 0, 31, 0], cost: '0' },
  { fixture: 'local/llamacpp-stream.txt', model: 'local/own', counts: [75, 0, 0, 31, 0], cost: '0' },
];

/** The meaning of a recorded failure. */
export interface FailureCase {
  fixture: string;
  status: number;
  code: FailureCode;
  retryable: boolean;
  /** Value of Retry-After that came with it. */
  retryAfter?: string;
  /** The part of the vendor's message that a caller may read. */
  says?: string;
}

const again = true;
const never = false;

export const FAILURES: readonly FailureCase[] = [
  { fixture: 'openai/error-bad-key.json', status: 401, code: 'authentication_failed', retryable: never },
  { fixture: 'openai/error-quota.json', status: 429, code: 'quota_exhausted', retryable: never },
  { fixture: 'openai/error-credit-exhausted.json', status: 429, code: 'quota_exhausted', retryable: never },
  { fixture: 'openai/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again, retryAfter: '2' },
  {
    fixture: 'openai/error-too-large.json',
    status: 429,
    code: 'context_too_long',
    retryable: never,
    says: 'Limit 30000, Requested 342389',
  },
  { fixture: 'openai/error-overloaded.json', status: 503, code: 'overloaded', retryable: again },
  { fixture: 'openai/error-gateway.html', status: 502, code: 'unavailable', retryable: again },
  {
    fixture: 'openai/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'maximum context length is 128000 tokens',
  },
  { fixture: 'openai/error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  {
    fixture: 'openai/error-temperature.json',
    status: 400,
    code: 'invalid_request',
    retryable: never,
    says: "'temperature' does not support 0.7",
  },
  {
    fixture: 'openai/error-max-tokens.json',
    status: 400,
    code: 'invalid_request',
    retryable: never,
    says: "Use 'max_completion_tokens' instead.",
  },
  {
    fixture: 'openai/error-content.json',
    status: 400,
    code: 'content_refused',
    retryable: never,
    says: 'your prompt was flagged',
  },
  {
    fixture: 'openai/answer-refusal.json',
    status: 200,
    code: 'content_refused',
    retryable: never,
    says: "I can't help with that.",
  },
  { fixture: 'openai/stream-cut.txt', status: 200, code: 'invalid_answer', retryable: again },
  { fixture: 'anthropic/error-bad-key.json', status: 401, code: 'authentication_failed', retryable: never },
  { fixture: 'anthropic/error-billing.json', status: 402, code: 'quota_exhausted', retryable: never },
  { fixture: 'anthropic/error-credit-low.json', status: 400, code: 'quota_exhausted', retryable: never },
  { fixture: 'anthropic/error-spend-limit.json', status: 429, code: 'quota_exhausted', retryable: never },
  { fixture: 'anthropic/error-ramp-limit.json', status: 429, code: 'rate_limited', retryable: again, retryAfter: '30' },
  { fixture: 'anthropic/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again, retryAfter: '12' },
  { fixture: 'anthropic/error-overloaded.json', status: 529, code: 'overloaded', retryable: again },
  {
    fixture: 'anthropic/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: '1050230 tokens > 1000000 maximum',
  },
  {
    fixture: 'anthropic/error-too-large.json',
    status: 413,
    code: 'context_too_long',
    retryable: never,
    says: 'Request exceeds the maximum size',
  },
  { fixture: 'anthropic/error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  {
    fixture: 'anthropic/error-temperature.json',
    status: 400,
    code: 'invalid_request',
    retryable: never,
    says: '`temperature` is deprecated for this model.',
  },
  { fixture: 'anthropic/answer-refusal.json', status: 200, code: 'content_refused', retryable: never },
  { fixture: 'anthropic/stream-error.txt', status: 200, code: 'overloaded', retryable: again },
  { fixture: 'gemini/error-bad-key.json', status: 400, code: 'authentication_failed', retryable: never },
  { fixture: 'gemini/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again },
  // The same sentence stands for a minute's limit and for an account without credit, so a later try may succeed.
  { fixture: 'gemini/error-quota.json', status: 429, code: 'rate_limited', retryable: again },
  { fixture: 'gemini/error-overloaded.json', status: 503, code: 'overloaded', retryable: again },
  {
    fixture: 'gemini/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'The input token count (1200000) exceeds',
  },
  { fixture: 'gemini/error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  // An exhausted plan looks the same.
  { fixture: 'mistral/error-bad-key.json', status: 401, code: 'authentication_failed', retryable: never },
  { fixture: 'mistral/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again },
  { fixture: 'mistral/error-overloaded.json', status: 503, code: 'overloaded', retryable: again },
  { fixture: 'mistral/error-overloaded.json', status: 429, code: 'overloaded', retryable: again },
  {
    fixture: 'mistral/error-extra-field.json',
    status: 422,
    code: 'invalid_request',
    retryable: never,
    says: 'the option max_tokens',
  },
  {
    fixture: 'mistral/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'Prompt contains 300000 tokens',
  },
  { fixture: 'mistral/error-model.json', status: 400, code: 'model_unavailable', retryable: never },
  { fixture: 'deepseek/error-bad-key.json', status: 401, code: 'authentication_failed', retryable: never },
  { fixture: 'deepseek/error-quota.json', status: 402, code: 'quota_exhausted', retryable: never },
  {
    fixture: 'deepseek/error-parameter.json',
    status: 422,
    code: 'rejected',
    retryable: never,
    says: 'Invalid parameter',
  },
  { fixture: 'deepseek/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again },
  { fixture: 'deepseek/error-overloaded.json', status: 503, code: 'overloaded', retryable: again },
  {
    fixture: 'deepseek/error-content.json',
    status: 400,
    code: 'content_refused',
    retryable: never,
    says: 'Content Exists Risk',
  },
  {
    fixture: 'deepseek/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'you requested 1000500 tokens',
  },
  { fixture: 'deepseek/error-model.json', status: 400, code: 'model_unavailable', retryable: never },
  { fixture: 'xai/error-bad-key.json', status: 400, code: 'authentication_failed', retryable: never },
  { fixture: 'xai/error-no-permission.json', status: 403, code: 'quota_exhausted', retryable: never },
  {
    fixture: 'xai/error-content.json',
    status: 403,
    code: 'content_refused',
    retryable: never,
    says: 'Failed check: SAFETY_CHECK_TYPE_BIO',
  },
  { fixture: 'xai/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again },
  {
    fixture: 'xai/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'the request contains 600000 tokens',
  },
  { fixture: 'xai/error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  { fixture: 'xai/stream-error.txt', status: 200, code: 'unavailable', retryable: again },
  { fixture: 'groq/error-bad-key.json', status: 401, code: 'authentication_failed', retryable: never },
  { fixture: 'groq/error-rate-limit.json', status: 429, code: 'rate_limited', retryable: again, retryAfter: '3' },
  // More than a minute's allowance: it says rate limit, but no later try can succeed.
  {
    fixture: 'groq/error-too-large.json',
    status: 413,
    code: 'context_too_long',
    retryable: never,
    says: 'Limit 8000, Requested 34031',
  },
  { fixture: 'groq/error-overloaded.json', status: 498, code: 'overloaded', retryable: again },
  {
    fixture: 'groq/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'Please reduce the length of the messages',
  },
  { fixture: 'groq/error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  { fixture: 'groq/error-model-decommissioned.json', status: 400, code: 'model_unavailable', retryable: never },
  { fixture: 'groq/stream-error.txt', status: 200, code: 'overloaded', retryable: again },
  { fixture: 'openrouter/error-bad-key.json', status: 401, code: 'authentication_failed', retryable: never },
  { fixture: 'openrouter/error-quota.json', status: 402, code: 'quota_exhausted', retryable: never },
  { fixture: 'openrouter/error-key-limit.json', status: 403, code: 'quota_exhausted', retryable: never },
  {
    fixture: 'openrouter/error-rate-limit.json',
    status: 429,
    code: 'rate_limited',
    retryable: again,
    retryAfter: '60',
  },
  { fixture: 'openrouter/error-upstream.json', status: 429, code: 'rate_limited', retryable: again },
  { fixture: 'openrouter/error-overloaded.json', status: 503, code: 'overloaded', retryable: again },
  { fixture: 'openrouter/error-capacity.json', status: 429, code: 'overloaded', retryable: again, retryAfter: '40' },
  {
    fixture: 'openrouter/error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'maximum context length is 1048576 tokens',
  },
  { fixture: 'openrouter/error-model.json', status: 400, code: 'model_unavailable', retryable: never },
  {
    fixture: 'openrouter/error-content.json',
    status: 403,
    code: 'content_refused',
    retryable: never,
    says: 'Input was flagged',
  },
  { fixture: 'openrouter/answer-error-in-200.json', status: 200, code: 'unavailable', retryable: again },
  { fixture: 'openrouter/stream-error.txt', status: 200, code: 'rate_limited', retryable: again },
  { fixture: 'local/ollama-error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  {
    fixture: 'local/vllm-error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'You passed 1015 input tokens',
  },
  {
    fixture: 'local/vllm-error-context-old.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'you requested 2723 tokens',
  },
  { fixture: 'local/vllm-error-model.json', status: 404, code: 'model_unavailable', retryable: never },
  { fixture: 'local/lmstudio-stream-error.txt', status: 200, code: 'unavailable', retryable: again },
  {
    fixture: 'local/lmstudio-stream-overflow.txt',
    status: 200,
    code: 'context_too_long',
    retryable: never,
    says: 'context length of only 7866 tokens',
  },
  {
    fixture: 'local/llamacpp-error-context.json',
    status: 400,
    code: 'context_too_long',
    retryable: never,
    says: 'request (13392 tokens)',
  },
  // The same body behind a good status, as some builds send it.
  {
    fixture: 'local/llamacpp-error-context.json',
    status: 200,
    code: 'context_too_long',
    retryable: never,
    says: 'request (13392 tokens)',
  },
  { fixture: 'local/llamacpp-error-loading.json', status: 503, code: 'overloaded', retryable: again },
];
