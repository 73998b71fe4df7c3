import type { Caller } from '../auth/caller';

/** How users come to have a payment method: noted by the operator, or taken by a payment provider. */
export abstract class PaymentProvider {
  /**
   * The address at which the caller can leave a payment method. @throws ApiError payment_provider_not_configured,
   * unavailable
   */
  abstract paymentMethodUrl(caller: Caller): Promise<string>;
}
