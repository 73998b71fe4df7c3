import { anthropicError } from './anthropic.errors';
import { OLD_VERSION } from './anthropic.wire';
import { mistralExtraMember } from './chat.errors';
import type { VendorError } from './error-table';
import { openaiError } from './openai.errors';
import type { VendorCall } from './wire';

/** The vendor's refusal of the request itself, independent of the script; undefined if it accepts the request. */
export function objectionTo(call: VendorCall): VendorError | undefined {
  if (call.vendor === 'anthropic') return anthropicObjection(call);
  if (call.vendor === 'openai') return openaiObjection(call);
  return call.vendor === 'mistral' ? mistralObjection(call) : undefined;
}

const REASONING_MODEL = /^(?:o\d|gpt-[5-9])/;
// These take a temperature only with reasoning switched off.
const FIXED_TEMPERATURE = /^(?:o\d|gpt-5\.6|gpt-[6-9])/;

function openaiObjection({ model, body }: VendorCall): VendorError | undefined {
  const reject = (message: string, param: string, code?: string) => openaiError(400, { message, type: 'invalid_request_error', param, ...(code !== undefined && { code }) });
  if (body['stream_options'] !== undefined && body['stream'] !== true) {
    return reject("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  if (body['max_tokens'] !== undefined && REASONING_MODEL.test(model)) {
    return reject("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", 'max_tokens', 'unsupported_parameter');
  }
  const { temperature } = body;
  if (temperature === undefined || temperature === 1 || body['reasoning_effort'] === 'none' || !FIXED_TEMPERATURE.test(model)) return undefined;
  const words = `Unsupported value: 'temperature' does not support ${JSON.stringify(temperature)} with this model. Only the default (1) value is supported.`;
  return reject(words, 'temperature', 'unsupported_value');
}

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;
const NEW_VERSION = '2026-10-21';
// Refused by these in either version of the API.
const NO_SAMPLING = /^claude-(?:opus-(?:4-[7-9]|[5-9])|sonnet-[5-9]|haiku-[5-9]|fable|mythos)/;

function anthropicObjection({ model, body, headers }: VendorCall): VendorError | undefined {
  const reject = (message: string) => anthropicError(400, 'invalid_request_error', message);
  const version = headers['anthropic-version'];
  if (version === undefined) return reject('anthropic-version: header is required');
  if (version !== OLD_VERSION && version !== NEW_VERSION) return reject(`anthropic-version: "${version}" is not a valid version`);
  if (body['max_tokens'] === undefined) return reject('max_tokens: Field required');
  const sampling = SAMPLING.find((name) => body[name] !== undefined);
  if (sampling !== undefined && (version === NEW_VERSION || NO_SAMPLING.test(model))) return reject(`\`${sampling}\` is deprecated for this model.`);
  if (body['temperature'] !== undefined && body['top_p'] !== undefined) return reject('`temperature` and `top_p` cannot both be specified for this model.');
  return undefined;
}

const MISTRAL_MEMBERS = new Set([
  'model', 'messages', 'temperature', 'top_p', 'max_tokens', 'stream', 'stop', 'random_seed', 'metadata', 'response_format', 'tools', 'tool_choice',
  'presence_penalty', 'frequency_penalty', 'n', 'prediction', 'parallel_tool_calls', 'prompt_mode', 'prompt_cache_key', 'reasoning_effort', 'guardrails', 'safe_prompt',
]);

function mistralObjection({ body }: VendorCall): VendorError | undefined {
  const extra = Object.keys(body).find((name) => !MISTRAL_MEMBERS.has(name));
  return extra === undefined ? undefined : mistralExtraMember(extra, body[extra]);
}
