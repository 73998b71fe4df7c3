import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AccountsService } from '../auth/accounts.service';
import { LedgerService } from '../billing/ledger.service';
import { Clock } from '../../common/clock';
import { Month } from '../../common/month';
import { PaymentCustomersRepository, type PaymentMethodSync } from './payment-customers.repository';

/** Which users are customers of the payment provider, and what it says of their payment methods. */
@Injectable()
export class PaymentCustomersService {
  constructor(
    private readonly customers: PaymentCustomersRepository,
    private readonly accounts: AccountsService,
    private readonly ledger: LedgerService,
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** The user's id at the payment provider. */
  async find(userId: string): Promise<string | undefined> {
    return this.customers.find(userId);
  }

  /**
   * Makes a user a customer, unless the user is one, and puts what was charged this month until now into the outbox, so
   * that
   * the month's meter says what GET /usage says. Later charges get there by the trigger on charges.
   */
  async add(userId: string, stripeCustomerId: string): Promise<void> {
    const now = this.clock.now();
    await this.em.fork().transactional(async (tx) => {
      // Waits for charges that are being written, and makes others wait: the trigger locks the same row.
      await this.accounts.lockUser(tx, userId);
      if (!(await this.customers.insert(tx, userId, stripeCustomerId, now))) return;
      await this.customers.enqueueCharges(tx, userId, await this.ledger.billableCharges(tx, userId, Month.of(now)));
    });
  }

  /** Gives a user another id at the payment provider in the place of that one. */
  async replace(userId: string, from: string, to: string): Promise<void> {
    await this.customers.replace(userId, from, to);
  }

  /** True if an event of the payment provider was processed. */
  async isDone(eventId: string): Promise<boolean> {
    return this.customers.isDone(eventId);
  }

  /** Begins to sync a customer's payment methods; undefined if no user is that customer. */
  async beginSync(stripeCustomerId: string): Promise<PaymentMethodSync | undefined> {
    return this.customers.beginSync(stripeCustomerId);
  }

  /**
   * Notes whether there is a payment method, unless a later sync has begun, which sees what is newer; the event is done
   * in either case.
   */
  async completeSync(sync: PaymentMethodSync, hasPaymentMethod: boolean, eventId: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (!(await this.customers.markDone(tx, eventId, this.clock.now()))) return;
      if (!(await this.customers.isLatest(tx, sync))) return;
      await this.accounts.setPaymentMethod(tx, sync.userId, hasPaymentMethod);
    });
  }
}
