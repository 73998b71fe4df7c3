import type Stripe from 'stripe';

export type Delivery = { isThere: true } | { isThere: false; mayHaveArrived: boolean; reason: string };

type StripeFailure = Partial<Pick<Stripe.errors.StripeError, 'type' | 'code' | 'statusCode' | 'message' | 'detail'>>;

// No connection was ever made.
const NOTHING_LEFT_US = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const MAX_REASON_LENGTH = 300;

export function isCustomerGone(error: unknown): boolean {
  const { code, message } = error as StripeFailure;
  return code === 'resource_missing' && /no such customer/i.test(message ?? '');
}

export function deliveryOf(error: unknown): Delivery {
  const { type, statusCode, message = '', detail } = error as StripeFailure;
  // Stripe refuses a second event of the same identifier; so the first has arrived.
  if (statusCode === 400 && /already exists with identifier/i.test(message)) return { isThere: true };
  const reason = `${type ?? 'Error'} ${statusCode ?? codeOf(detail)}: ${message}`.slice(0, MAX_REASON_LENGTH);
  return { isThere: false, mayHaveArrived: !isRefusal(statusCode) && !NOTHING_LEFT_US.test(codeOf(detail)), reason };
}

// 408 and 409 leave the outcome of the request open.
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 409;
}

function codeOf(detail: StripeFailure['detail']): string {
  const code: unknown = typeof detail === 'object' && 'code' in detail ? detail.code : undefined;
  return typeof code === 'string' ? code : '';
}
