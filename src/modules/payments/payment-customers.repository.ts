import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { BillableCharge } from '../billing/charge.entity';
import { PaymentCustomer } from './payment-customer.entity';
import { StripeEvent } from './stripe-event.entity';

export interface PaymentMethodSync {
  userId: string;
  version: number;
}

/** Who is a customer of Stripe, and which of its events were dealt with. */
@Injectable()
export class PaymentCustomersRepository {
  constructor(private readonly em: EntityManager) {}

  async inTransaction(work: (tx: EntityManager) => Promise<void>): Promise<void> {
    await this.em.fork().transactional(work);
  }

  /** The user's id at Stripe. */
  async find(userId: string): Promise<string | undefined> {
    const customer = await this.em.fork().findOne(PaymentCustomer, { userId });
    return customer?.stripeCustomerId;
  }

  /** Makes a user a customer. False when the user is one already. */
  async insert(tx: EntityManager, userId: string, stripeCustomerId: string, now: Date): Promise<boolean> {
    const { rows } = await sql`
      insert into payment_customers (user_id, stripe_customer_id, created_at) values (${userId}, ${stripeCustomerId}, ${now})
      on conflict (user_id) do nothing returning user_id
    `.execute(tx.getKysely());
    return rows.length > 0;
  }

  /** Puts charges that were there before the customer into the outbox, by the same sum as the trigger's. */
  async enqueueCharges(tx: EntityManager, userId: string, charges: readonly BillableCharge[]): Promise<void> {
    const rows = JSON.stringify(
      charges.map(({ id, charge, occurredAt }) => ({ id, charge: charge.toString(), occurredAt })),
    );
    await sql`
      with summed as (
        select id, "occurredAt", sum(charge) over (order by id collate "C") as charged
        from json_to_recordset(${rows}) as charge (id text, charge numeric, "occurredAt" timestamptz)
      ), marked as (
        select *, max(greatest(0, floor(charged * 1000000000))) over (order by id collate "C") as mark from summed
      ), grown as (
        select *, mark - coalesce(lag(mark) over (order by id collate "C"), 0) as growth from marked
      ), enqueued as (
        insert into meter_events (charge_id, user_id, nano_usd, occurred_at, next_attempt_at)
        select id, ${userId}, growth, "occurredAt", case when growth > 0 then clock_timestamp() end from grown
      )
      update payment_customers set charged = last.charged, metered_nano_usd = last.mark
      from (select charged, mark from marked order by id collate "C" desc limit 1) as last where user_id = ${userId}
    `.execute(tx.getKysely());
  }

  async replace(userId: string, from: string, to: string): Promise<void> {
    await this.em.fork().nativeUpdate(PaymentCustomer, { userId, stripeCustomerId: from }, { stripeCustomerId: to });
  }

  /** Begins a sync; undefined if no user is that customer. */
  async beginSync(stripeCustomerId: string): Promise<PaymentMethodSync | undefined> {
    const { rows } = await sql<PaymentMethodSync>`
      update payment_customers set sync_version = sync_version + 1 where stripe_customer_id = ${stripeCustomerId} returning user_id as "userId", sync_version as version
    `.execute(this.em.getKysely());
    return rows[0];
  }

  /** True if no later sync has begun; none begins until the transaction ends. */
  async isLatest(tx: EntityManager, { userId, version }: PaymentMethodSync): Promise<boolean> {
    const latest = { userId, syncVersion: version };
    return (await tx.findOne(PaymentCustomer, latest, { lockMode: LockMode.PESSIMISTIC_WRITE })) !== null;
  }

  async isDone(eventId: string): Promise<boolean> {
    return (await this.em.fork().findOne(StripeEvent, { id: eventId })) !== null;
  }

  /** Notes that an event was dealt with. False when somebody else has noted it. */
  async markDone(tx: EntityManager, eventId: string, at: Date): Promise<boolean> {
    const { rows } = await sql`
      insert into stripe_events (id, received_at) values (${eventId}, ${at}) on conflict (id) do nothing returning id
    `.execute(tx.getKysely());
    return rows.length > 0;
  }
}
