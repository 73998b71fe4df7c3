/**
 * Names and boundaries of OpenTelemetry: HTTP from semantic conventions 1.42, GenAI from the repository
 * semantic-conventions-genai (status Development) of the same time.
 * https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ and
 * https://github.com/open-telemetry/semantic-conventions-genai
 */

/** Advised boundaries of http.server.request.duration, in seconds. */
export const HTTP_DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Advised boundaries of gen_ai.client.operation.duration and its parts, in seconds: 0.01 · 2ⁿ. */
export const GENAI_DURATION_BUCKETS = Array.from({ length: 14 }, (_, n) => 0.01 * 2 ** n);

/** Advised boundaries of gen_ai.client.token.usage: 4ⁿ. */
export const GENAI_TOKEN_BUCKETS = Array.from({ length: 14 }, (_, n) => 4 ** n);

const PROVIDER_NAMES: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' };

/** `gen_ai.provider.name` of a vendor; openrouter, local and simulator are values of ours. */
export function providerName(vendor: string): string {
  return PROVIDER_NAMES[vendor] ?? vendor;
}

/** Names of attributes of spans: general ones and those of HTTP. */
export const ERROR_TYPE = 'error.type';
/** `error.type` of what has no code. */
export const OTHER_ERROR = '_OTHER';
export const HTTP_METHOD = 'http.request.method';
export const HTTP_ROUTE = 'http.route';
export const HTTP_STATUS = 'http.response.status_code';
export const SERVER_ADDRESS = 'server.address';
export const SERVER_PORT = 'server.port';

/** Names of attributes of the span of a model call; `gen_ai.operation.name` is always `chat`. */
export const GENAI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  stream: 'gen_ai.request.stream',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
} as const;

/** Names of attributes that are ours: no convention has one. */
export const MCS = {
  requestId: 'mcs.request.id',
  userId: 'mcs.user.id',
  keyId: 'mcs.key.id',
  evalId: 'mcs.eval.id',
  runId: 'mcs.run.id',
  models: 'mcs.models',
  samples: 'mcs.samples',
  outcome: 'mcs.outcome',
  isFree: 'mcs.free',
  cost: 'mcs.cost_usd',
  charge: 'mcs.charge_usd',
  attempt: 'mcs.attempt',
} as const;
