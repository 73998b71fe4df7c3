import { canaryKey, canaryWords, type ErrorTable, type VendorError } from './error-table';

const KEYS = 'https://platform.openai.com/account/api-keys';

/** A refusal in OpenAI's words. */
export function openaiError(
  status: number,
  error: { message: string; type: string; param?: string; code?: string },
): VendorError {
  return {
    status,
    body: { error: { message: error.message, type: error.type, param: error.param ?? null, code: error.code ?? null } },
  };
}

function rejected(message: string, code: string, param?: string): VendorError {
  return openaiError(400, { message, type: 'invalid_request_error', code, ...(param !== undefined && { param }) });
}

/** OpenAI's errors; a used-up quota has the same status as a rate limit. */
export function openaiErrors(model: string): ErrorTable {
  const overloaded = {
    message: 'The requested model is currently overloaded.',
    type: 'service_unavailable_error',
    code: 'server_is_overloaded',
  };
  const broken = {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
  };
  const noQuota = 'You exceeded your current quota, please check your plan and billing details.';
  const tooFast = `Rate limit reached for ${model} in organization org-MARKER8c1d2e3f on tokens per min (TPM): Limit 200000, Used 199000, Requested 2000.`;
  const badKey = `Incorrect API key provided: ${canaryKey('sk-')}. You can find your API key at ${KEYS}.`;
  const tooLong =
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150321 tokens. Please reduce the length of the messages.";
  const noModel = `The model \`${model}\` does not exist or you do not have access to it.`;
  const badValue =
    "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.";
  return {
    'bad-key': openaiError(401, { message: badKey, type: 'invalid_request_error', code: 'invalid_api_key' }),
    quota: openaiError(429, { message: noQuota, type: 'insufficient_quota', code: 'insufficient_quota' }),
    'rate-limit': openaiError(429, { message: tooFast, type: 'tokens', code: 'rate_limit_exceeded' }),
    overload: openaiError(503, overloaded),
    'server-error': openaiError(500, broken),
    'context-too-long': rejected(tooLong, 'context_length_exceeded', 'messages'),
    'content-refused': rejected(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      'invalid_prompt',
    ),
    'model-not-found': openaiError(404, { message: noModel, type: 'invalid_request_error', code: 'model_not_found' }),
    'bad-request': rejected(`${badValue} ${canaryWords('sk-', KEYS)}`, 'unsupported_value', 'temperature'),
  };
}

/** Errors of local servers: vLLM's form since 0.10, with llama.cpp's words while it loads. */
export function localErrors(model: string): ErrorTable {
  const error = (status: number, type: string, message: string): VendorError => ({
    status,
    body: { error: { message, type, param: null, code: status } },
  });
  return {
    'bad-key': error(401, 'AuthenticationError', `Unauthorized: ${canaryKey('sk-')} at http://localhost:8000/v1`),
    quota: error(402, 'PaymentRequiredError', 'Payment required.'),
    'rate-limit': error(429, 'RateLimitError', 'Too many requests.'),
    overload: error(503, 'unavailable_error', 'Loading model'),
    'server-error': error(500, 'InternalServerError', 'Internal server error'),
    'context-too-long': error(
      400,
      'BadRequestError',
      "You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens.",
    ),
    'content-refused': error(400, 'BadRequestError', 'The content was blocked.'),
    'model-not-found': error(404, 'NotFoundError', `The model \`${model}\` does not exist.`),
    'bad-request': error(
      400,
      'BadRequestError',
      `temperature must be non-negative. ${canaryWords('sk-', 'http://localhost:8000/v1')}`,
    ),
  };
}

/** DeepSeek's errors: OpenAI's form, with few distinct codes. */
export function deepseekErrors(): ErrorTable {
  const error = (status: number, type: string, message: string, code = 'invalid_request_error') =>
    openaiError(status, { message, type, code });
  return {
    'bad-key': error(
      401,
      'authentication_error',
      `Authentication Fails, Your api key: ${canaryKey('sk-')} is invalid. See https://platform.deepseek.com/api_keys`,
    ),
    quota: error(402, 'unknown_error', 'Insufficient Balance'),
    'rate-limit': error(429, 'rate_limit_error', 'Rate limit reached', 'rate_limit_exceeded'),
    overload: error(
      503,
      'service_unavailable_error',
      'Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.',
    ),
    'server-error': error(500, 'server_error', 'Internal server error'),
    'context-too-long': error(
      400,
      'invalid_request_error',
      "This model's maximum context length is 1000000 tokens. However, you requested 1000500 tokens.",
    ),
    'content-refused': error(400, 'invalid_request_error', 'Content Exists Risk'),
    'model-not-found': error(400, 'invalid_request_error', 'Model Not Exist'),
    'bad-request': error(
      422,
      'invalid_request_error',
      `Invalid parameter ${canaryWords('sk-', 'https://platform.deepseek.com')}`,
    ),
  };
}

/** Groq's errors: OpenAI's form without `param`, and other statuses. */
export function groqErrors(model: string): ErrorTable {
  const error = (status: number, type: string, message: string, code?: string): VendorError => ({
    status,
    body: { error: { message, type, ...(code !== undefined && { code }) } },
  });
  const rejectedType = 'invalid_request_error';
  const tooFast = `Rate limit reached for model \`${model}\` in organization \`org_MARKER8c1d2e3f\` service tier \`on_demand\` on tokens per minute (TPM): Limit 8000, Used 7900, Requested 500.`;
  return {
    'bad-key': error(
      401,
      rejectedType,
      `Invalid API Key ${canaryKey('gsk_')}. See https://console.groq.com/keys`,
      'invalid_api_key',
    ),
    quota: error(
      400,
      rejectedType,
      'Your organization has reached its spend limit. See https://console.groq.com/settings/billing',
      'blocked_api_access',
    ),
    'rate-limit': error(429, 'tokens', tooFast, 'rate_limit_exceeded'),
    overload: error(498, 'capacity_exceeded', 'capacity_exceeded'),
    'server-error': error(500, 'internal_server_error', 'Internal Server Error'),
    'context-too-long': error(
      400,
      rejectedType,
      'Please reduce the length of the messages or completion.',
      'context_length_exceeded',
    ),
    'content-refused': error(
      400,
      rejectedType,
      'The content was blocked by a content policy.',
      'content_policy_violation',
    ),
    'model-not-found': error(
      404,
      rejectedType,
      `The model \`${model}\` does not exist or you do not have access to it.`,
      'model_not_found',
    ),
    'bad-request': error(
      400,
      rejectedType,
      `'temperature' must be at most 2 ${canaryWords('gsk_', 'https://console.groq.com/docs')}`,
    ),
  };
}
