import { canaryKey, canaryWords, type ErrorTable, type VendorError } from './error-table';
import { deepseekErrors, groqErrors, localErrors, openaiErrors } from './openai.errors';
import type { ChatVendor } from './wire';

/**
 * How a vendor of chat completions refuses. Where no real body is known (quota, refused content of several) it is
 * composed in the vendor's form.
 */
export function chatErrors(vendor: ChatVendor, model: string): ErrorTable {
  return TABLES[vendor](model);
}

const TABLES: Record<ChatVendor, (model: string) => ErrorTable> = {
  openai: openaiErrors,
  gemini: geminiErrors,
  mistral: mistralErrors,
  deepseek: deepseekErrors,
  xai: xaiErrors,
  groq: groqErrors,
  openrouter: openrouterErrors,
  local: localErrors,
};

/** A refusal in Google's words: a list of one. */
function geminiError(status: number, word: string, message: string, reason?: string): VendorError {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  };
  return {
    status,
    body: [{ error: { code: status, message, status: word, ...(reason !== undefined && { details: [info] }) } }],
  };
}

function geminiErrors(model: string): ErrorTable {
  const keys = 'https://aistudio.google.com/apikey';
  const noQuota = 'You exceeded your current quota, please check your plan and billing details.';
  const noModel = `models/${model} is not found for API version v1main, or is not supported for generateContent.`;
  return {
    'bad-key': geminiError(
      400,
      'INVALID_ARGUMENT',
      `API key not valid: ${canaryKey('AIza')}. Please pass a valid API key. See ${keys}`,
      'API_KEY_INVALID',
    ),
    quota: geminiError(429, 'RESOURCE_EXHAUSTED', noQuota),
    'rate-limit': geminiError(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
    overload: geminiError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'server-error': geminiError(500, 'INTERNAL', 'An internal error has occurred.'),
    'context-too-long': geminiError(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    'content-refused': geminiError(400, 'INVALID_ARGUMENT', 'The request was blocked: PROHIBITED_CONTENT'),
    'model-not-found': geminiError(404, 'NOT_FOUND', noModel),
    'bad-request': geminiError(400, 'INVALID_ARGUMENT', `Invalid value at 'temperature' ${canaryWords('AIza', keys)}`),
  };
}

/** A refusal in Mistral's flat words. */
function mistralError(status: number, type: string, message: unknown, code: string | null = null): VendorError {
  return { status, body: { object: 'error', message, type, param: null, code, raw_status_code: status } };
}

/** Mistral refuses members that it does not know, and its message then is an object. */
export function mistralExtraMember(name: string, input: unknown): VendorError {
  const detail = [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted', input }];
  return mistralError(422, 'invalid_request_error', { detail });
}

function mistralErrors(model: string): ErrorTable {
  const address = 'https://console.mistral.ai/api-keys';
  return {
    'bad-key': { status: 401, body: { detail: `Unauthorized: ${canaryKey('sk-')}, see ${address}` } },
    quota: mistralError(402, 'payment_required', 'Payment required'),
    'rate-limit': mistralError(429, 'rate_limited', 'Rate limit exceeded', '1300'),
    overload: mistralError(503, 'invalid_request_error', 'Service tier capacity exceeded for this model.'),
    'server-error': mistralError(500, 'internal_server_error', 'Internal server error'),
    'context-too-long': mistralError(
      400,
      'invalid_request_prompt',
      'Prompt contains 300000 tokens, too large for model with 262144 maximum context length',
      '3051',
    ),
    'content-refused': mistralError(403, 'moderation_error', 'The prompt was blocked by moderation'),
    'model-not-found': mistralError(400, 'invalid_model', `Invalid model: ${model}`, '1500'),
    'bad-request': mistralError(
      422,
      'invalid_request_error',
      `temperature must be at most 1.5 ${canaryWords('sk-', address)}`,
    ),
  };
}

/** A refusal in xAI's words: both members are sentences. */
function xaiError(status: number, code: string, error: string): VendorError {
  return { status, body: { code, error } };
}

function xaiErrors(model: string): ErrorTable {
  const invalid = 'Client specified an invalid argument';
  const forbidden = 'The caller does not have permission to execute the specified operation';
  const address = 'https://console.x.ai';
  return {
    'bad-key': xaiError(
      400,
      invalid,
      `Incorrect API key provided: ${canaryKey('xai-')}. You can obtain an API key from ${address}.`,
    ),
    quota: xaiError(
      403,
      forbidden,
      'Your team has either used all available credits or reached its monthly spending limit.',
    ),
    'rate-limit': xaiError(429, 'Some resource has been exhausted', 'Too many requests for team. Please retry later.'),
    overload: xaiError(503, 'The service is currently unavailable', 'Service temporarily unavailable.'),
    'server-error': xaiError(500, 'Internal error', 'Internal error encountered.'),
    'context-too-long': xaiError(
      400,
      invalid,
      "This model's maximum prompt length is 500000 but the request contains 600000 tokens.",
    ),
    'content-refused': xaiError(403, forbidden, 'Content violates usage guidelines. Failed check: SAFETY_CHECK'),
    'model-not-found': xaiError(
      404,
      'Some requested entity was not found',
      `The model ${model} does not exist or your team does not have access to it.`,
    ),
    'bad-request': xaiError(
      400,
      invalid,
      `Argument not supported on this model: temperature ${canaryWords('xai-', address)}`,
    ),
  };
}

/** A refusal in OpenRouter's words: the code is the status, and the reason is in the metadata. */
function openrouterError(status: number, message: string, metadata: Record<string, unknown>): VendorError {
  return { status, body: { error: { code: status, message, metadata } } };
}

function openrouterErrors(model: string): ErrorTable {
  const moderation = { reasons: ['violence'], flagged_input: '...', provider_name: 'OpenAI', model_slug: model };
  const address = 'https://openrouter.ai/settings/keys';
  // Only here the machine-readable word is outside the metadata.
  const availability = {
    code: 'model_not_found',
    retryable: false,
    requested_models: [model],
    docs_url: 'https://openrouter.ai/docs/errors#model_not_found',
  };
  return {
    'bad-key': openrouterError(401, `No auth credentials found for ${canaryKey('sk-or-v1-')}, see ${address}`, {
      error_type: 'authentication',
    }),
    quota: openrouterError(402, 'Insufficient credits. Add more using https://openrouter.ai/settings/credits', {
      error_type: 'payment_required',
    }),
    'rate-limit': openrouterError(429, 'Rate limit exceeded', { error_type: 'rate_limit_exceeded' }),
    overload: openrouterError(503, 'Provider overloaded', { error_type: 'provider_overloaded' }),
    'server-error': openrouterError(502, 'Provider returned error', {
      error_type: 'provider_unavailable',
      provider_code: 'bad_gateway',
    }),
    'context-too-long': openrouterError(400, 'This endpoint’s maximum context length is 1048576 tokens.', {
      error_type: 'context_length_exceeded',
    }),
    'content-refused': openrouterError(403, 'Input was flagged', moderation),
    'model-not-found': {
      status: 400,
      body: {
        error: {
          code: 400,
          message: `${model} is not a valid model ID`,
          metadata: { error_type: 'invalid_request' },
          availability,
        },
      },
    },
    'bad-request': openrouterError(400, `temperature must be at most 2 ${canaryWords('sk-or-v1-', address)}`, {
      error_type: 'invalid_request',
    }),
  };
}
