import { randomUUID } from 'node:crypto';
import { Api, operator } from './api';
import { onDatabase } from './database';
import { worker } from './worker';

const LOOK_AGAIN_MS = 5;

/** What a test may want of its user. */
export interface UserWishes {
  freeQuota?: number;
  hasPaymentMethod?: boolean;
  monthlySpendLimitUsd?: number;
  /** Another service than this worker's. */
  at?: string;
}

/** A caller with its own user, so that no test disturbs another. */
export class Caller extends Api {
  constructor(key: string, readonly userId: string, readonly email: string, readonly keyId: string, url?: string) {
    super(key, url);
  }

  /** The same caller at another service. */
  at(url: string): Caller {
    return new Caller(this.key ?? '', this.userId, this.email, this.keyId, url);
  }

  /** This month's usage record. */
  async usage(): Promise<{ eval_count: number; free_evals_remaining: number; total_charge_usd: number }> {
    return (await this.get('/api/v1/usage')).body as { eval_count: number; free_evals_remaining: number; total_charge_usd: number };
  }
}

/** Makes a user with a key. */
export async function createCaller(wishes: UserWishes = {}): Promise<Caller> {
  const admin = operator(wishes.at);
  const email = `${randomUUID()}@example.com`;
  const user = await admin.post('/api/v1/admin/users', {
    email,
    ...(wishes.freeQuota !== undefined && { free_quota: wishes.freeQuota }),
    ...(wishes.hasPaymentMethod !== undefined && { has_payment_method: wishes.hasPaymentMethod }),
    ...(wishes.monthlySpendLimitUsd !== undefined && { monthly_spend_limit_usd: wishes.monthlySpendLimitUsd }),
  });
  const issued = await admin.post(`/api/v1/admin/users/${user.body.id}/keys`, { name: 'test' });
  if (issued.status !== 201) throw new Error(`No caller: ${user.text} ${issued.text}`);
  return new Caller(issued.body.api_key, user.body.id, email, issued.body.id, wishes.at);
}

/** Makes a key an expired one; the service itself only takes a time to come. */
export async function expire({ keyId }: Caller): Promise<void> {
  await onDatabase(worker().databaseUrl, (client) => client.query("update api_keys set expires_at = now() - interval '1 hour' where id = $1", [keyId]));
}

/** Waits until a condition holds, looking again and again; fails with what it was waiting for. The time is for machines with much else to do. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean, withinMs = 40_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
    // A look without a pause would take from the service the time it needs to get there.
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
