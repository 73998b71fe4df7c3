import { anthropicError } from './anthropic.errors';
import { OLD_VERSION } from './anthropic.wire';
import { mistralExtraMember } from './chat.errors';
import type { VendorError } from './error-table';
import { openaiError } from './openai.errors';
import type { VendorCall } from './wire';

/** The vendor's refusal of the request itself, independent of the script; undefined if it accepts the request. */
export function objectionTo(call: VendorCall): VendorError | undefined {
  const turns = objectionToTurns(call);
  if (turns !== undefined) return turns;
  if (call.vendor === 'anthropic') return anthropicObjection(call);
  if (call.vendor === 'openai') return openaiObjection(call);
  return call.vendor === 'mistral' ? mistralObjection(call) : undefined;
}

const ALTERNATING: ReadonlySet<string> = new Set(['anthropic', 'deepseek', 'gemini', 'local', 'mistral', 'openrouter']);

/** In the words of vLLM; other vendors have similar ones. */
function objectionToTurns({ vendor, body }: VendorCall): VendorError | undefined {
  const roles = (body['messages'] as { role: string }[]).map(({ role }) => role).filter((role) => role !== 'system');
  if (!ALTERNATING.has(vendor) || roles.every((role, index) => role === (index % 2 === 0 ? 'user' : 'assistant')))
    return undefined;
  const [type, message] = [
    'invalid_request_error',
    'Conversation roles must alternate user/assistant/user/assistant/...',
  ];
  return vendor === 'anthropic' ? anthropicError(400, type, message) : openaiError(400, { message, type });
}

const REASONING_MODEL = /^(?:o\d|gpt-[5-9])/;
// These take a temperature only with reasoning switched off.
const ALWAYS_REASONING = /^gpt-6\.[12]-(?:sol|astra)/;
const FIXED_TEMPERATURE = /^(?:o\d|gpt-5\.6|gpt-[6-9])/;

function openaiObjection({ model, body }: VendorCall): VendorError | undefined {
  const reject = (message: string, param: string, code?: string) =>
    openaiError(400, { message, type: 'invalid_request_error', param, ...(code !== undefined && { code }) });
  if (body['stream_options'] !== undefined && body['stream'] !== true) {
    return reject("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  if (body['max_tokens'] !== undefined && REASONING_MODEL.test(model)) {
    return reject(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    );
  }
  const { temperature, reasoning_effort: effort } = body;
  const effortObjection = objectionToEffort(model, effort);
  if (effortObjection !== undefined) return reject(effortObjection, 'reasoning_effort');
  if (
    temperature === undefined ||
    temperature === 1 ||
    body['reasoning_effort'] === 'none' ||
    !FIXED_TEMPERATURE.test(model)
  )
    return undefined;
  const words = `Unsupported value: 'temperature' does not support ${JSON.stringify(temperature)} with this model. Only the default (1) value is supported.`;
  return reject(words, 'temperature', 'unsupported_value');
}

function objectionToEffort(model: string, effort: unknown): string | undefined {
  if (effort === undefined) return undefined;
  if (!REASONING_MODEL.test(model))
    return "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
  return effort === 'none' && ALWAYS_REASONING.test(model)
    ? `Unsupported value: 'none' is not supported with the '${model}' model.`
    : undefined;
}

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;
const NEW_VERSION = '2026-10-21';
// Refused by these in either version of the API.
const NO_SAMPLING = /^claude-(?:opus-(?:4-[7-9]|[5-9])|sonnet-[5-9]|haiku-[5-9]|fable|mythos)/;

function anthropicObjection({ model, body, headers }: VendorCall): VendorError | undefined {
  const reject = (message: string) => anthropicError(400, 'invalid_request_error', message);
  const version = headers['anthropic-version'];
  if (version === undefined) return reject('anthropic-version: header is required');
  if (version !== OLD_VERSION && version !== NEW_VERSION)
    return reject(`anthropic-version: "${version}" is not a valid version`);
  if (body['max_tokens'] === undefined) return reject('max_tokens: Field required');
  const sampling = SAMPLING.find((name) => body[name] !== undefined);
  if (sampling !== undefined && (version === NEW_VERSION || NO_SAMPLING.test(model)))
    return reject(`\`${sampling}\` is deprecated for this model.`);
  if (body['temperature'] !== undefined && body['top_p'] !== undefined)
    return reject('`temperature` and `top_p` cannot both be specified for this model.');
  return thinkingObjection(model, body, reject);
}

const NO_EFFORTS = /^claude-haiku-4/;
/** The types of `thinking` that only some models take. */
const THINKING_TYPES: Record<string, RegExp> = {
  disabled: /^claude-(?:haiku|sonnet-4)/,
  between_tools: /^claude-sonnet-5-5/,
  adaptive: /^claude-(?:sonnet|opus|haiku-5)/,
  enabled: /^claude-(?:sonnet|haiku|opus)-4/,
};

function thinkingObjection(
  model: string,
  body: VendorCall['body'],
  reject: (message: string) => VendorError,
): VendorError | undefined {
  if (body['output_config'] !== undefined && NO_EFFORTS.test(model))
    return reject('output_config.effort: Extra inputs are not permitted');
  const thinking = body['thinking'] as { type: string; budget_tokens?: number } | undefined;
  const objection = thinking && objectionToThinking(model, thinking, body);
  return objection === undefined ? undefined : reject(objection);
}

function objectionToThinking(
  model: string,
  { type, budget_tokens: budget = 0 }: { type: string; budget_tokens?: number },
  body: VendorCall['body'],
): string | undefined {
  if (THINKING_TYPES[type]?.test(model) !== true) return `thinking.type: "${type}" is not supported for this model`;
  if (type !== 'disabled' && (body['temperature'] ?? 1) !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled.';
  return type === 'enabled' ? objectionToBudget(budget, Number(body['max_tokens'])) : undefined;
}

function objectionToBudget(budget: number, maxTokens: number): string | undefined {
  if (budget < 1024) return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  return budget < maxTokens ? undefined : '`max_tokens` must be greater than `thinking.budget_tokens`.';
}

const MISTRAL_MEMBERS = new Set([
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'metadata',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'prediction',
  'parallel_tool_calls',
  'prompt_mode',
  'prompt_cache_key',
  'reasoning_effort',
  'guardrails',
  'safe_prompt',
]);

function mistralObjection({ body }: VendorCall): VendorError | undefined {
  const extra = Object.keys(body).find((name) => !MISTRAL_MEMBERS.has(name));
  return extra === undefined ? undefined : mistralExtraMember(extra, body[extra]);
}
