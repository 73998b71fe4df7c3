import { Injectable } from '@nestjs/common';
import { AuthService } from '../auth/auth.service';
import type { Caller } from '../auth/caller';
import { ApiError } from '../../common/errors';
import { PaymentCustomersService } from './payment-customers.service';
import { PaymentProvider } from './payment-provider';
import { StripeService } from './stripe.service';
import { customerOfEvent } from './concerned-customer';

/** Stripe collects the payment methods and reports them through webhooks. */
@Injectable()
export class StripePaymentsService extends PaymentProvider {
  constructor(
    private readonly stripe: StripeService,
    private readonly customers: PaymentCustomersService,
    private readonly auth: AuthService,
  ) {
    super();
  }

  async paymentMethodUrl(caller: Caller): Promise<string> {
    const customer = (await this.customers.find(caller.userId)) ?? (await this.newCustomer(caller));
    const url =
      (await this.stripe.setupUrl(customer, caller.userId)) ??
      (await this.stripe.setupUrl(await this.newCustomer(caller, customer), caller.userId));
    if (url === undefined)
      throw new ApiError('unavailable', { message: 'The payment provider gave no address.', retryAfterSeconds: 10 });
    return url;
  }

  /**
   * Takes a webhook. Events may come twice and in any order, so none is believed: each only starts a sync with what
   * Stripe has now. @throws ApiError invalid_request, unavailable
   */
  async receive(body: string, signature: string | undefined): Promise<void> {
    const event = this.stripe.readEvent(body, signature);
    const customer = customerOfEvent(event);
    if (customer === undefined || (await this.customers.isDone(event.id))) return;
    const sync = await this.customers.beginSync(customer);
    if (sync === undefined) return;
    const hasPaymentMethod = await this.stripe.hasPaymentMethod(customer);
    await this.customers.completeSync(sync, hasPaymentMethod, event.id);
    this.auth.onUserChanged(sync.userId);
  }

  /** Makes the user a customer, or replaces a customer that Stripe no longer has. */
  private async newCustomer(caller: Caller, gone?: string): Promise<string> {
    const { userId } = caller;
    const created = await this.stripe.createCustomer(caller, gone === undefined ? userId : `${userId}:${gone}`);
    if (gone === undefined) await this.customers.add(userId, created);
    else await this.customers.replace(userId, gone, created);
    // Of two requests at once one wins; both go on with what is stored.
    return (await this.customers.find(userId)) ?? created;
  }
}
