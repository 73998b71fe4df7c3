import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { Api, operator } from './api';
import { onDatabase } from './database';
import { worker } from './worker';

const MIN_POLL_INTERVAL_MS = 5;
/**
 * The longer it has waited, the longer it pauses: a poll every 5 ms would use up the reads that a key has in a minute
 * within 10 s.
 */
const POLL_SHARE = 0.05;

/** Settings of the user of a test. */
export interface UserOptions {
  freeQuota?: number;
  hasPaymentMethod?: boolean;
  monthlySpendLimitUsd?: number;
  /** Another service than this worker's. */
  at?: string;
}

/** A caller with its own user, so that no test disturbs another. */
export class Caller extends Api {
  constructor(
    key: string,
    readonly userId: string,
    readonly email: string,
    readonly keyId: string,
    url?: string,
  ) {
    super(key, url);
  }

  /** The same caller at another service. */
  at(url: string): Caller {
    return new Caller(this.key ?? '', this.userId, this.email, this.keyId, url);
  }

  /** This month's usage record. */
  async usage(): Promise<{ eval_count: number; free_evals_remaining: number; total_charge_usd: number }> {
    return (await this.get('/api/v1/usage')).body as {
      eval_count: number;
      free_evals_remaining: number;
      total_charge_usd: number;
    };
  }
}

/** Creates a user with a key. */
export async function createCaller(options: UserOptions = {}): Promise<Caller> {
  const admin = operator(options.at);
  const email = `${randomUUID()}@example.com`;
  const user = await admin.post('/api/v1/admin/users', {
    email,
    ...(options.freeQuota !== undefined && { free_quota: options.freeQuota }),
    ...(options.hasPaymentMethod !== undefined && { has_payment_method: options.hasPaymentMethod }),
    ...(options.monthlySpendLimitUsd !== undefined && { monthly_spend_limit_usd: options.monthlySpendLimitUsd }),
  });
  const issued = await admin.post(`/api/v1/admin/users/${user.body.id}/keys`, { name: 'test' });
  if (issued.status !== 201) throw new Error(`No caller: ${user.text} ${issued.text}`);
  return new Caller(issued.body.api_key, user.body.id, email, issued.body.id, options.at);
}

/** Expires a key; the service itself accepts only a time in the future. */
export async function expire({ keyId }: Caller): Promise<void> {
  await onDatabase(worker().databaseUrl, (client) =>
    client.query("update api_keys set expires_at = now() - interval '1 hour' where id = $1", [keyId]),
  );
}

/** How long a test waits for what should come; for machines with much else to do. */
export const MAX_WAIT_MS = 40_000;

/** Waits until a condition holds, polling; fails with what it was waiting for. */
export async function eventually(
  what: string,
  holds: () => Promise<boolean> | boolean,
  withinMs = MAX_WAIT_MS,
): Promise<void> {
  const begunMs = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - begunMs;
    if (waitedMs > withinMs) throw new Error(`Waited in vain until ${what}.`);
    // Polling without a pause would take the time that the service needs.
    await new Promise((resolve) => setTimeout(resolve, Math.max(MIN_POLL_INTERVAL_MS, waitedMs * POLL_SHARE)));
  }
}

/** Waits until another connection waits for a lock of this one. */
export async function untilWaitedFor(locking: Client): Promise<void> {
  const waiting = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
  await eventually('a lock is waited for', async () => (await locking.query(waiting)).rowCount !== 0);
}
