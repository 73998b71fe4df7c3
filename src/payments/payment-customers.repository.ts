import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Month } from '../common/month';

/** A look at a customer's payment methods that has begun. */
export interface PaymentMethodSync {
  userId: string;
  version: number;
}

/** Who is a customer of Stripe, and which of its events were dealt with. */
@Injectable()
export class PaymentCustomersRepository {
  constructor(private readonly em: EntityManager) {}

  /** The user's id at Stripe. */
  async find(userId: string): Promise<string | undefined> {
    const { rows } = await sql<{ stripe_customer_id: string }>`
      select stripe_customer_id from payment_customers where user_id = ${userId}
    `.execute(this.em.getKysely());
    return rows[0]?.stripe_customer_id;
  }

  /**
   * Makes a user a customer, unless the user is one, and puts what was charged this month until now into the outbox, so that
   * the month's meter says what GET /usage says. Later charges get there by themselves (the trigger of meter events).
   */
  async insert(userId: string, stripeCustomerId: string, now: Date): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      // Waits for charges that are being written, and makes others wait.
      await sql`select from users where id = ${userId} for update`.execute(tx.getKysely());
      const { rows } = await sql`
        insert into payment_customers (user_id, stripe_customer_id, created_at) values (${userId}, ${stripeCustomerId}, ${now})
        on conflict (user_id) do nothing returning user_id
      `.execute(tx.getKysely());
      if (rows.length > 0) await meterMonth(tx, userId, Month.of(now));
    });
  }

  /** Gives a user another id at Stripe in the place of that one. */
  async replace(userId: string, from: string, to: string): Promise<void> {
    await sql`update payment_customers set stripe_customer_id = ${to} where user_id = ${userId} and stripe_customer_id = ${from}`.execute(this.em.getKysely());
  }

  /** Whether an event was dealt with. */
  async isDone(eventId: string): Promise<boolean> {
    const { rows } = await sql`select from stripe_events where id = ${eventId}`.execute(this.em.getKysely());
    return rows.length > 0;
  }

  /** Forgets the oldest events that came before that, at most so many, and says how many; passes over those that somebody else is forgetting. */
  async deleteEventsBefore(before: Date, most: number): Promise<number> {
    const { rows } = await sql`
      delete from stripe_events where ctid = any(array(
        select ctid from stripe_events where received_at <= ${before} order by received_at limit ${most} for update skip locked
      )) returning 1
    `.execute(this.em.getKysely());
    return rows.length;
  }

  /** Begins a look; undefined when nobody here is that customer. */
  async beginSync(stripeCustomerId: string): Promise<PaymentMethodSync | undefined> {
    const { rows } = await sql<{ user_id: string; sync_version: number }>`
      update payment_customers set sync_version = sync_version + 1 where stripe_customer_id = ${stripeCustomerId} returning user_id, sync_version
    `.execute(this.em.getKysely());
    const [row] = rows;
    return row && { userId: row.user_id, version: row.sync_version };
  }

  /** Notes what was seen, unless a later look has begun, which sees what is newer; the event is done then. */
  async completeSync({ userId, version }: PaymentMethodSync, hasPaymentMethod: boolean, eventId: string, at: Date): Promise<void> {
    await sql`
      with done as (insert into stripe_events (id, received_at) values (${eventId}, ${at}) on conflict (id) do nothing returning id)
      update users set has_payment_method = ${hasPaymentMethod}
      from done, payment_customers customer
      where users.id = ${userId} and customer.user_id = users.id and customer.sync_version = ${version}
    `.execute(this.em.getKysely());
  }
}

/** The same sum as the trigger's, over the charges that were there before it. */
async function meterMonth(tx: EntityManager, userId: string, month: Month): Promise<void> {
  await sql`
    with summed as (
      select id, occurred_at, sum(charge) over (order by id collate "C") as charged from charges where user_id = ${userId} and month = ${month.toString()} and charge <> 0
    ), marked as (
      select *, max(greatest(0, floor(charged * 1000000000))) over (order by id collate "C") as mark from summed
    ), grown as (
      select *, mark - coalesce(lag(mark) over (order by id collate "C"), 0) as growth from marked
    ), enqueued as (
      insert into meter_events (charge_id, user_id, nano_usd, occurred_at, next_attempt_at)
      select id, ${userId}, growth, occurred_at, case when growth > 0 then clock_timestamp() end from grown
    )
    update payment_customers set charged = last.charged, metered_nano_usd = last.mark
    from (select charged, mark from marked order by id collate "C" desc limit 1) as last where user_id = ${userId}
  `.execute(tx.getKysely());
}
