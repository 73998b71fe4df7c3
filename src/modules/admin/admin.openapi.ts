import type { BodyExamples } from '../../platform/http/api-body.decorator';

export const USER_ID = { name: 'id', description: 'User ID.' };
export const KEY_ID = { name: 'id', description: 'Key ID.' };

export const CREATE_USER_EXAMPLES: BodyExamples = [
  ['A user with the default settings', { email: 'dev@example.com' }],
  [
    'A user with a custom quota and limit',
    { email: 'dev@example.com', free_quota: 500, has_payment_method: true, monthly_spend_limit_usd: 50 },
  ],
];

export const UPDATE_USER_EXAMPLES: BodyExamples = [
  ['A quota of free evals', { free_quota: 100 }],
  ['A monthly limit', { monthly_spend_limit_usd: 50 }],
  ['Default quota and no limit', { free_quota: null, monthly_spend_limit_usd: null }],
  ['A payment method recorded manually', { has_payment_method: true }],
];

export const ISSUE_KEY_EXAMPLES: BodyExamples = [
  ['A key with all permissions', { name: 'ci' }],
  ['A read-only key', { name: 'dashboard', scopes: ['evals:read', 'usage:read', 'models:read'] }],
  [
    'A key with a limit, one model and an expiration date',
    { name: 'trial', allowed_models: ['sim-swift'], monthly_spend_limit_usd: 10, expires_at: '2040-01-01T00:00:00Z' },
  ],
];

export const UPDATE_KEY_EXAMPLES: BodyExamples = [
  ['A monthly limit', { monthly_spend_limit_usd: 100 }],
  ['Only some models', { allowed_models: ['sim-swift', 'sim-quill'] }],
  ['Only to compare', { scopes: ['compare'] }],
  ['An expiration date', { expires_at: '2040-01-01T00:00:00Z' }],
  ['No limits at all', { monthly_spend_limit_usd: null, allowed_models: null, scopes: null, expires_at: null }],
];

export const ROTATE_KEY_EXAMPLES: BodyExamples = [
  ['The old key keeps working for a day', { overlap_seconds: 86_400 }],
  ['The old key stops working immediately', {}],
];

/** The first example is rejected until an amount is filled in, so that no correction is entered by accident. */
export const ADJUSTMENT_EXAMPLES: BodyExamples = [
  ['Template; rejected without an amount', { amount_usd: 0, reason: 'Why' }],
  ['A credit', { amount_usd: -2.5, reason: 'Goodwill credit for the outage on November 3' }],
  ['A charge in an earlier month', { amount_usd: 12.34, reason: 'Evals billed manually', month: '2026-10' }],
];
