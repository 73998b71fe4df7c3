import { onDatabase } from '../test/support/database';
import { makeCallers, type BenchCaller } from './callers';
import { seededId, seedEvals, seedYardstick, settle, type Databases } from './databases';
import { startService, startVendor } from './processes';
import type { Past } from './scenarios';
import { MODELS, SETTINGS } from './settings';

const SEEDED = 1000;

/** Where the two servers live. */
export interface Ground {
  serviceUrl: string;
  yardstickUrl: string;
  vendorUrl: string;
  callers: BenchCaller[];
  service: Past;
  yardstick: Past;
}

/** Both databases with users, keys and a past, and a vendor server. */
export async function prepare(databases: Databases): Promise<Ground> {
  const [serviceUrl, yardstickUrl] = [await databases.fresh('mcs_bench_service'), await databases.fresh('mcs_bench_yardstick')];
  const { url: vendorUrl } = await startVendor();
  const first = await startService(serviceUrl, vendorUrl, { migrate: true });
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
    serviceUrl, yardstickUrl, vendorUrl, callers,
    service: { keys, evalIds: numbers.map((n) => seededId(user, n)) },
    yardstick: { keys, evalIds: numbers.map((n) => `eval_${String(n).padStart(26, '0')}`) },
  };
}
