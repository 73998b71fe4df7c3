import { onDatabase } from '../test/support/database';
import { seededId, seedEvals, seedYardstick, settle, type Databases } from './databases';
import type { Meter } from './measure';
import { startService, startVendor, startYardstick, type Load, type ServerProgram } from './processes';
import { MODELS, SECRETS, SETTINGS } from './settings';

const SEEDED = 1000;

/** A user of the service with a key. */
export interface Caller {
  userId: string;
  keyId: string;
  key: string;
}

/** The keys and evals in the database of a server. */
export interface Past {
  keys: readonly string[];
  evalIds: readonly string[];
}

/** The running servers by name, and the tools that all parts share. */
export interface Bench {
  ground: Ground;
  load: Load;
  meter: Meter;
  servers: Record<string, { server: ServerProgram; past: Past }>;
}

/** The databases with users, keys and a past, and a vendor server. */
export interface Ground {
  serviceUrl: string;
  yardstickUrl: string;
  vendorUrl: string;
  service: Past;
  yardstick: Past;
}

export async function prepare(databases: Databases): Promise<Ground> {
  const [serviceUrl, yardstickUrl] = [await databases.fresh('mcs_bench_service'), await databases.fresh('mcs_bench_yardstick')];
  const vendorUrl = await startVendor();
  const first = await startService(serviceUrl, vendorUrl, { MIGRATE_ON_START: 'true' });
  const callers = await makeCallers(first.port, SETTINGS.users);
  await first.stop();
  const [reader] = callers;
  if (reader === undefined) throw new Error('BENCH_USERS must be 1 or more.');
  const user = { ...reader, month: new Date().toISOString().slice(0, 7), models: MODELS };
  await onDatabase(serviceUrl, async (client) => {
    await seedEvals(client, user, 1, SEEDED);
    await settle(client);
  });
  const keys = callers.map(({ key }) => key);
  await seedYardstick(yardstickUrl, keys, SEEDED, MODELS);
  const numbers = Array.from({ length: 200 }, (_, index) => 1 + index * 5);
  return {
    serviceUrl, yardstickUrl, vendorUrl,
    service: { keys, evalIds: numbers.map((n) => seededId(user, n)) },
    yardstick: { keys, evalIds: numbers.map((n) => `eval_${String(n).padStart(26, '0')}`) },
  };
}

/** Starts the service, the version of BENCH_BEFORE if there is one, and the yardstick. */
export async function startServers({ serviceUrl, yardstickUrl, vendorUrl, service, yardstick }: Ground): Promise<Bench['servers']> {
  return {
    service: { server: await startService(serviceUrl, vendorUrl), past: service },
    ...(SETTINGS.before !== undefined && { before: { server: await startService(serviceUrl, vendorUrl, {}, SETTINGS.before), past: service } }),
    yardstick: { server: await startYardstick(yardstickUrl, vendorUrl), past: yardstick },
  };
}

/** Creates users with one key each through the admin API. */
export async function makeCallers(port: number, count: number): Promise<Caller[]> {
  const create = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/admin/users${path}`, {
      method: 'POST', headers: { 'authorization': `Bearer ${SECRETS.ADMIN_API_KEY}`, 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`POST /admin/users${path} answered ${response.status}: ${await response.text()}`);
    return await response.json() as T;
  };
  return Promise.all(Array.from({ length: count }, async (_, index) => {
    const { id: userId } = await create<{ id: string }>('', { email: `bench-${index}@example.com`, has_payment_method: true, free_quota: 0 });
    const { id: keyId, api_key: key } = await create<{ id: string; api_key: string }>(`/${userId}/keys`, { name: 'bench' });
    return { userId, keyId, key };
  }));
}
