import type { Caller } from '../auth/caller';

/** How users come to have a payment method: noted by the operator, or taken by a payment provider. */
export abstract class Payments {
  /** The address at which the caller can leave a payment method. @throws ApiError payments_off, unavailable */
  abstract paymentMethodUrl(caller: Caller): Promise<string>;
}
