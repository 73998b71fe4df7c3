/**
 * Why a model gave no answer: the codes of a Result's `error`. docs/errors.md and the API document are checked against
 * them.
 */
export const RESULT_ERROR_CODES = [
  'authentication_failed',
  'quota_exhausted',
  'rate_limited',
  'overloaded',
  'unavailable',
  'connection_failed',
  'timeout',
  'invalid_answer',
  'content_refused',
  'context_too_long',
  'model_unavailable',
  'model_substituted',
  'invalid_request',
  'rejected',
  'not_called',
  'internal_error',
] as const;

/** In what a result differs from what was asked for: the codes of its `warnings`. */
export const RESULT_WARNING_CODES = [
  'input_missing',
  'history_adapted',
  'temperature_ignored',
  'temperature_clamped',
  'max_tokens_clamped',
  'output_truncated',
  'no_room_for_answer',
  'usage_estimated',
  'usage_above_limit',
  'price_differs',
  'model_substituted',
  'reasoning_effort_adapted',
  'reasoning_effort_ignored',
  'response_format_adapted',
  'response_format_ignored',
] as const;

/** A stable code for a failed model. */
export type ResultErrorCode = (typeof RESULT_ERROR_CODES)[number];

/** A stable code of a warning. */
export type ResultWarningCode = (typeof RESULT_WARNING_CODES)[number];
