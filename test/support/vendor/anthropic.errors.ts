import { canaryKey, canaryWords, type ErrorTable, type VendorError } from './error-table';

const CONSOLE = 'https://console.anthropic.com/settings/keys';

/** A refusal in the words of the Messages API. */
export function anthropicError(status: number, type: string, message: string): VendorError {
  return {
    status,
    body: { type: 'error', error: { type, message }, request_id: 'req_MARKER011CSHoEeqs5C35K2UUqR7Fy' },
  };
}

/**
 * Statuses and types by docs.claude.com/en/api/errors; a used-up quota has three forms; this is the one with a distinct
 * type.
 */
export function anthropicErrors(model: string): ErrorTable {
  return {
    'bad-key': anthropicError(
      401,
      'authentication_error',
      `invalid x-api-key: ${canaryKey('sk-ant-api03-')}. Keys are at ${CONSOLE}`,
    ),
    quota: anthropicError(402, 'billing_error', `There is an issue with the billing of your account. See ${CONSOLE}`),
    'rate-limit': anthropicError(
      429,
      'rate_limit_error',
      'This request would exceed your organization’s rate limit (org-MARKER8c1d2e3f).',
    ),
    overload: anthropicError(529, 'overloaded_error', 'Overloaded'),
    'server-error': anthropicError(500, 'api_error', 'Internal server error'),
    'context-too-long': anthropicError(
      400,
      'invalid_request_error',
      'prompt is too long: 1050230 tokens > 1000000 maximum',
    ),
    'content-refused': anthropicError(400, 'invalid_request_error', 'Output blocked by content filtering policy'),
    'model-not-found': anthropicError(404, 'not_found_error', `model: ${model}`),
    'bad-request': anthropicError(
      400,
      'invalid_request_error',
      `\`temperature\` is deprecated for this model. ${canaryWords('sk-ant-api03-', CONSOLE)}`,
    ),
  };
}
