import type { Client } from 'pg';
import { newId } from '../../src/common/ids';
import { endAfterTests } from './cleanup';
import { onDatabase } from './database';
import { eventually, type Caller } from './factories';
import { worker } from './worker';

/**
 * Changes the caller's meter event when it was sent in vain, and not while it is being sent, after which the service
 * would change it. Gives its charge.
 */
export async function changeTried(client: Client, { userId }: Caller, change: string): Promise<string> {
  const text = `update meter_events set ${change} where user_id = $1 and sent_at is null and last_error is not null and next_attempt_at < clock_timestamp() + interval '5 s' returning charge_id`;
  let chargeId: string | undefined;
  await eventually(
    'it was tried',
    async () =>
      (chargeId = (await client.query<{ charge_id: string }>(text, [userId])).rows[0]?.charge_id) !== undefined,
  );
  return chargeId ?? '';
}

/** Stores a parked meter event of 1.5 dollars of the caller, in a service that sends none. Returns its charge. */
export async function insertParked(client: Client, { userId }: Caller): Promise<string> {
  const chargeId = newId('chg', new Date());
  await client.query(
    'insert into meter_events (charge_id, user_id, nano_usd, occurred_at, attempts, uncertain_since) values ($1, $2, 1500000000, now(), 3, now())',
    [chargeId, userId],
  );
  endAfterTests(() =>
    onDatabase(worker().databaseUrl, (other) =>
      other.query('delete from meter_events where charge_id = $1', [chargeId]),
    ),
  );
  return chargeId;
}
