import { Injectable } from '@nestjs/common';
import { AccountsService } from '../auth/accounts.service';
import type { Caller } from '../auth/caller';
import { LedgerService } from '../billing/ledger.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Month } from '../../common/month';
import { PaymentCustomersRepository, type PaymentMethodSync } from './payment-customers.repository';
import { PaymentProvider } from './payment-provider';
import { StripeService } from './stripe.service';
import { customerOfEvent } from './concerned-customer';

/** Stripe collects the payment methods and reports them through webhooks. */
@Injectable()
export class StripePaymentsService extends PaymentProvider {
  constructor(
    private readonly stripe: StripeService,
    private readonly customers: PaymentCustomersRepository,
    private readonly accounts: AccountsService,
    private readonly ledger: LedgerService,
    private readonly clock: Clock,
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
    await this.completeSync(sync, await this.stripe.hasPaymentMethod(customer), event.id);
    this.accounts.forgetUser(sync.userId);
  }

  /** Makes the user a customer, or replaces a customer that Stripe no longer has. */
  private async newCustomer(caller: Caller, gone?: string): Promise<string> {
    const { userId } = caller;
    const created = await this.stripe.createCustomer(caller, gone === undefined ? userId : `${userId}:${gone}`);
    if (gone === undefined) await this.addCustomer(userId, created);
    else await this.customers.replace(userId, gone, created);
    // Of two requests at once one wins; both go on with what is stored.
    return (await this.customers.find(userId)) ?? created;
  }

  /**
   * Makes a user a customer, unless the user is one, and puts what was charged this month until now into the outbox, so
   * that the month's meter says what GET /usage says. Later charges get there by the trigger on charges.
   */
  private addCustomer(userId: string, stripeCustomerId: string): Promise<void> {
    const now = this.clock.now();
    return this.customers.inTransaction(async (tx) => {
      // Waits for charges that are being written, and makes others wait: the trigger locks the same row.
      await this.accounts.lockUser(tx, userId);
      if (!(await this.customers.insert(tx, userId, stripeCustomerId, now))) return;
      await this.customers.enqueueCharges(tx, userId, await this.ledger.billableCharges(tx, userId, Month.of(now)));
    });
  }

  /**
   * Notes whether there is a payment method, unless a later sync has begun, which sees what is newer; the event is done
   * in either case.
   */
  private completeSync(sync: PaymentMethodSync, hasPaymentMethod: boolean, eventId: string): Promise<void> {
    return this.customers.inTransaction(async (tx) => {
      if (!(await this.customers.markDone(tx, eventId, this.clock.now()))) return;
      if (await this.customers.isLatest(tx, sync))
        await this.accounts.setPaymentMethod(tx, sync.userId, hasPaymentMethod);
    });
  }
}
