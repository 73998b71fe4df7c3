import { randomUUID } from 'node:crypto';
import { onDatabase } from '../test/support/database';
import { seededId, seedEvals, seedYardstick, settle, type Databases } from './databases';
import type { Meter } from './measure';
import { startService, startVendor, startYardstick, type Load, type ServerProgram } from './processes';
import { MODELS, SECRETS, SETTINGS } from './settings';

const SEEDED = 1000;
/** The evals that are read by id. */
const NUMBERS = Array.from({ length: 200 }, (_, index) => 1 + index * 5);

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

/** A running server, of which more can be started on the same database. */
export interface Side extends Past {
  server: ServerProgram;
  start: (variables?: Record<string, string>) => Promise<ServerProgram>;
}

/** The running servers by name, and the tools that all parts share. */
export interface Bench {
  load: Load;
  meter: Meter;
  sides: Record<string, Side> & Record<'service' | 'yardstick', Side>;
}

/**
 * Starts the service, the version of BENCH_BEFORE if there is one, and the yardstick, each with users, keys and a past.
 */
export async function prepare(databases: Databases): Promise<Bench['sides']> {
  const vendorUrl = await startVendor();
  const service = await serviceSide('service', databases, vendorUrl);
  const url = await databases.fresh('mcs_bench_yardstick');
  await seedYardstick(url, service.keys, SEEDED, MODELS);
  const start = (variables?: Record<string, string>) => startYardstick(url, vendorUrl, variables);
  return {
    service,
    ...(SETTINGS.before !== undefined && {
      before: await serviceSide('before', databases, vendorUrl, SETTINGS.before),
    }),
    yardstick: {
      keys: service.keys,
      evalIds: NUMBERS.map((n) => `eval_${String(n).padStart(26, '0')}`),
      start,
      server: await start(),
    },
  };
}

async function serviceSide(name: string, databases: Databases, vendorUrl: string, main?: string): Promise<Side> {
  const url = await databases.fresh(`mcs_bench_${name}`);
  const start = (variables?: Record<string, string>) => startService(url, vendorUrl, variables, main);
  const server = await start({ MIGRATE_ON_START: 'true' });
  const callers = await makeCallers(server.port, SETTINGS.users);
  const [reader] = callers;
  if (reader === undefined) throw new Error('BENCH_USERS must be 1 or more.');
  const user = { ...reader, month: new Date().toISOString().slice(0, 7), models: MODELS };
  await onDatabase(url, async (client) => {
    await seedEvals(client, user, 1, SEEDED);
    await settle(client);
  });
  return { keys: callers.map(({ key }) => key), evalIds: NUMBERS.map((n) => seededId(user, n)), start, server };
}

/** Creates users with one key each through the admin API, without free evals or a limit if the settings give none. */
export async function makeCallers(port: number, count: number, settings: object = {}): Promise<Caller[]> {
  const create = async <T>(path: string, body: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/admin/users${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRETS.ADMIN_API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201)
      throw new Error(`POST /admin/users${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { id: userId } = await create<{ id: string }>('', {
        email: `${randomUUID()}@example.com`,
        has_payment_method: true,
        free_quota: 0,
        ...settings,
      });
      const { id: keyId, api_key: key } = await create<{ id: string; api_key: string }>(`/${userId}/keys`, {
        name: 'bench',
      });
      return { userId, keyId, key };
    }),
  );
}
