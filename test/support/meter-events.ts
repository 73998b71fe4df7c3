import type { Client } from 'pg';
import { eventually, type Caller } from './factories';

/** Changes the caller's meter event when it was sent in vain, and not while it is being sent, after which the service would change it. Gives its charge. */
export async function changeTried(client: Client, { userId }: Caller, change: string): Promise<string> {
  const text = `update meter_events set ${change} where user_id = $1 and sent_at is null and last_error is not null and next_attempt_at < clock_timestamp() + interval '5 s' returning charge_id`;
  let chargeId: string | undefined;
  await eventually('it was tried', async () => (chargeId = (await client.query<{ charge_id: string }>(text, [userId])).rows[0]?.charge_id) !== undefined);
  return chargeId ?? '';
}
