import type { BodyExamples } from '../http/api-body.decorator';

export const CREATE_USER_EXAMPLES: BodyExamples = [
  ['A user with the defaults', { email: 'dev@example.com' }],
  ['A user with a quota and a limit of its own', { email: 'dev@example.com', free_quota: 500, has_payment_method: true, monthly_spend_limit_usd: 50 }],
];

export const UPDATE_USER_EXAMPLES: BodyExamples = [
  ['A quota of free evals', { free_quota: 100 }],
  ['A monthly limit', { monthly_spend_limit_usd: 50 }],
  ['Neither quota nor limit of its own', { free_quota: null, monthly_spend_limit_usd: null }],
  ['A payment method noted by hand', { has_payment_method: true }],
];

export const ISSUE_KEY_EXAMPLES: BodyExamples = [
  ['A key that may do all', { name: 'ci' }],
  ['A key that only reads', { name: 'dashboard', scopes: ['evals:read', 'usage:read', 'models:read'] }],
  ['A key with a limit, for one model, until a day', { name: 'trial', allowed_models: ['sim-swift'], monthly_spend_limit_usd: 10, expires_at: '2040-01-01T00:00:00Z' }],
];

export const UPDATE_KEY_EXAMPLES: BodyExamples = [
  ['A monthly limit', { monthly_spend_limit_usd: 100 }],
  ['Only some models', { allowed_models: ['sim-swift', 'sim-quill'] }],
  ['Only to compare', { scopes: ['compare'] }],
  ['A last day', { expires_at: '2040-01-01T00:00:00Z' }],
  ['No limits at all', { monthly_spend_limit_usd: null, allowed_models: null, scopes: null, expires_at: null }],
];

export const ROTATE_KEY_EXAMPLES: BodyExamples = [
  ['The old key works on for a day', { overlap_seconds: 86_400 }],
  ['The old key ends at once', {}],
];

/** Money: the first is refused until it is filled in. */
export const ADJUSTMENT_EXAMPLES: BodyExamples = [
  ['To fill in; refused without a reason', { amount_usd: 0, reason: '' }],
  ['A credit', { amount_usd: -2.5, reason: 'Goodwill for the outage of 3 November' }],
  ['A charge in an earlier month', { amount_usd: 12.34, reason: 'Evals billed by hand', month: '2026-10' }],
];
