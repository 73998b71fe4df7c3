import type { Config } from '../config/config';
import { DAY_MS } from '../../common/clock';

/** Rows that are deleted some time after an instant in one of their columns. An index on `column` must exist. */
export interface ExpiringRows {
  /** The name of the task in the metrics. */
  name: string;
  table: string;
  /** A column or an expression of columns. */
  column: string;
  ageMs: number;
  /** A condition on the rows that are deleted. */
  where?: string;
  /** The rows in a log message. */
  title: string;
  /** False if this process writes no such rows. */
  isUsed?: (config: Config) => boolean;
}

/** How long an Idempotency-Key stands for its eval. */
export const IDEMPOTENCY_MS = DAY_MS;

/** All rows that expire. */
export const EXPIRING_ROWS: readonly ExpiringRows[] = [
  {
    name: 'idempotency_keys',
    table: 'idempotency_keys',
    column: 'created_at',
    ageMs: IDEMPOTENCY_MS,
    title: 'Expired Idempotency-Keys',
  },
  {
    name: 'ended_runs',
    table: 'runs',
    column: 'created_at',
    ageMs: 30 * DAY_MS,
    where: 'finished_at is not null',
    title: 'Old runs',
  },
  {
    name: 'ended_shares',
    table: 'shares',
    column: 'least(revoked_at, expires_at)',
    ageMs: 30 * DAY_MS,
    title: 'Ended shares',
  },
  // Stripe sends an event again for three days at most; by hand it can be sent for thirty.
  {
    name: 'webhook_events',
    table: 'stripe_events',
    column: 'received_at',
    ageMs: 30 * DAY_MS,
    title: 'Old webhook events',
    isUsed: ({ payments }) => payments === 'stripe',
  },
];

/** Deletes at most $2 rows that expired at the time $1, oldest first. Skips rows that another process deletes. */
export function deleteExpired({ table, column, where = 'true' }: ExpiringRows): string {
  return `
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${column} <= $1 and ${where} order by ${column} limit $2 for update skip locked
    )) returning 1 as deleted`;
}
