import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery, type QueryResult } from 'kysely';
import { freeRows, inSeconds } from '../../platform/background/leases';
import { SqlService } from '../../platform/database/sql.service';
import { MeterEvent } from './meter-event.entity';
import { CONDITION_OF, type MeterEventState } from './meter-event-state';
import type { Metered } from './stripe.service';
import { named } from '../../platform/database/statement-names';

/** An event that this process may send until its claim ends. */
export interface ClaimedEvent extends Metered {
  userId: string;
  /** Including the next attempt. */
  attempts: number;
  /** Since an earlier attempt that may have arrived; 0 when there was none. */
  uncertainSeconds: number;
}

/** The outbox of meter events. Claims are leases: those of a process that dies run out. */
@Injectable()
export class MeterEventsRepository {
  constructor(
    private readonly em: EntityManager,
    private readonly sql: SqlService,
  ) {}

  async page(state: MeterEventState, limit: number, after?: string): Promise<MeterEvent[]> {
    const [older, values] = after === undefined ? ['', [limit]] : ['and charge_id < $2', [limit, after]];
    return this.sql.query<MeterEvent>(
      `
      select charge_id as "chargeId", user_id as "userId", nano_usd as "nanoUsd", occurred_at as "occurredAt", attempts, uncertain_since as "uncertainSince",
        next_attempt_at as "nextAttemptAt", sent_at as "sentAt", last_error as "lastError"
      from meter_events where ${CONDITION_OF[state]} ${older} order by charge_id desc limit $1`,
      values,
    );
  }

  async lock(tx: EntityManager, chargeId: string): Promise<MeterEvent | null> {
    return tx.findOne(MeterEvent, { chargeId }, { lockMode: LockMode.PESSIMISTIC_WRITE, disableIdentityMap: true });
  }

  /** Requeues a parked event that never arrived, and returns the time of its next attempt. */
  async resend(tx: EntityManager, chargeId: string): Promise<Date> {
    const { rows } = await tx.getKysely().executeQuery<{ at: string }>(CompiledQuery.raw(RESEND, [chargeId]));
    return new Date(rows[0]?.at ?? NaN);
  }

  /** Claims the events that have waited longest for `ttlSeconds`, none that another process has claimed. */
  async claim(limit: number, ttlSeconds: number): Promise<ClaimedEvent[]> {
    const { rows } = await this.execute<ClaimedEvent & { nanoUsd: string; occurredAt: string }>(CLAIM, [
      limit,
      ttlSeconds,
    ]);
    return rows.map((row) => ({ ...row, nanoUsd: BigInt(row.nanoUsd), occurredAt: new Date(row.occurredAt) }));
  }

  async markSent(chargeId: string): Promise<void> {
    await this.execute(MARK_SENT, [chargeId]);
  }

  /** Lets an event wait for another attempt. */
  async markFailed(chargeId: string, reason: string, mayHaveArrived: boolean, backoffSeconds: number): Promise<void> {
    await this.execute(MARK_FAILED, [chargeId, reason, mayHaveArrived, backoffSeconds]);
  }

  /** Sends an event no more; the operator has to see to it. */
  async deadLetter(chargeId: string, reason: string): Promise<void> {
    await this.execute(DEAD_LETTER, [chargeId, reason]);
  }

  /** How many wait to be sent, and since when the oldest of them does. */
  async waiting(): Promise<{ count: number; oldestSeconds: number }> {
    const {
      rows: [row],
    } = await this.execute<{ count: number; oldestSeconds: number }>(COUNT_WAITING, []);
    return row ?? { count: 0, oldestSeconds: 0 };
  }

  async countParked(): Promise<number> {
    const {
      rows: [row],
    } = await this.execute<{ count: number }>(COUNT_PARKED, []);
    return row?.count ?? 0;
  }

  private async execute<Row>(text: string, values: unknown[]): Promise<QueryResult<Row>> {
    return this.em.getKysely().executeQuery<Row>(CompiledQuery.raw(text, values));
  }
}

const OUTBOX = { table: 'meter_events', key: 'charge_id', lease: 'next_attempt_at' };

const CLAIM = named(
  'claim_meter_events',
  `
  with due as materialized (${freeRows(OUTBOX, { limit: '$1' })})
  update meter_events event
  set attempts = event.attempts + 1, next_attempt_at = ${inSeconds('$2')}, uncertain_since = coalesce(event.uncertain_since, clock_timestamp())
  from due, payment_customers customer where event.charge_id = due.charge_id and customer.user_id = event.user_id
  returning event.charge_id as "chargeId", event.user_id as "userId", event.nano_usd as "nanoUsd", event.occurred_at as "occurredAt", event.attempts,
    customer.stripe_customer_id as "stripeCustomerId", greatest(0, extract(epoch from clock_timestamp() - event.uncertain_since))::integer as "uncertainSeconds"`,
);

const MARK_SENT = `
  update meter_events set sent_at = clock_timestamp(), next_attempt_at = null, uncertain_since = null, last_error = null where charge_id = $1`;

const MARK_FAILED = `
  update meter_events
  set next_attempt_at = ${inSeconds('$4')}, last_error = $2, uncertain_since = case when $3::boolean then uncertain_since end
  where charge_id = $1 and sent_at is null`;

const RESEND = `update meter_events set next_attempt_at = clock_timestamp(), uncertain_since = null where charge_id = $1 returning next_attempt_at as at`;

const DEAD_LETTER = `update meter_events set next_attempt_at = null, last_error = $2 where charge_id = $1 and sent_at is null`;

const COUNT_WAITING = `
  select count(*)::integer as count, coalesce(greatest(0, extract(epoch from clock_timestamp() - min(occurred_at))), 0)::float8 as "oldestSeconds"
  from meter_events where ${CONDITION_OF.waiting}`;

const COUNT_PARKED = `select count(*)::integer as count from meter_events where ${CONDITION_OF.parked}`;
