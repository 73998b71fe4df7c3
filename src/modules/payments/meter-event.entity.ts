import { Check, Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { TextColumn, TimestampColumn } from '../../platform/database/columns';

/**
 * The outbox: what one charge adds to its user's meter at the payment provider, written with the charge by the trigger
 * `charges_metered`.
 * Waiting while it has a next attempt; without one it is sent, was never needed (value 0), or is parked for the
 * operator.
 */
@Entity({ tableName: 'meter_events' })
@Index({
  name: 'meter_events_waiting_index',
  expression:
    'create index "meter_events_waiting_index" on "meter_events" ("next_attempt_at") where next_attempt_at is not null',
})
@Check({ name: 'meter_events_value_check', expression: 'nano_usd >= 0' })
export class MeterEvent {
  /** Also the event's identifier at the payment provider. */
  @PrimaryKey({ type: 'text' })
  chargeId!: string;

  @TextColumn()
  userId!: string;

  /** Whole nano-dollars. */
  @Property({ type: 'bigint' })
  nanoUsd!: bigint;

  /** Start of the eval, so that the event falls into the month in which it is charged. */
  @TimestampColumn()
  occurredAt!: Date;

  @Property({ type: 'integer', default: 0 })
  attempts!: number;

  /** The first attempt that may have arrived; by the database's clock, as all times below. */
  @TimestampColumn({ nullable: true })
  uncertainSince!: Date | null;

  /** Claimed by a process until then, or waiting for it. */
  @TimestampColumn({ nullable: true })
  nextAttemptAt!: Date | null;

  @TimestampColumn({ nullable: true })
  sentAt!: Date | null;

  @TextColumn({ nullable: true })
  lastError!: string | null;
}
