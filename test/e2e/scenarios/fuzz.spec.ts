import { ApiDocument } from '../../fuzz/document';
import { fuzz, fuzzWith, table } from '../../fuzz/fuzz';
import { checksAndShares, type Known } from '../../fuzz/requests';
import { Api, operator } from '../../support/api';
import { ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { startService, TEST_SECRETS, type ServiceProcess } from '../../support/service';
import { idFor } from '../../support/things';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2000);
const SEED = Number(process.env['FUZZ_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);
const BODIES = 600;
const PLENTY = '1000000000';

describe('The service, given generated requests,', () => {
  let service: ServiceProcess;
  let databaseUrl: string;

  beforeAll(async () => {
    databaseUrl = await ownDatabase('fuzz');
    service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RATE_LIMIT_COMPARE_PER_MINUTE: PLENTY,
      RATE_LIMIT_READ_PER_MINUTE: PLENTY,
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: PLENTY,
      MAX_CONCURRENT_COMPARES_PER_KEY: PLENTY,
      // Runs wait forever, so that there are some to cancel.
      MAX_CONCURRENT_RUNS: '0',
    });
  });
  afterAll(async () => void (await service.stop()));

  it(
    `answers as the API document says (${RUNS} requests, seed ${SEED})`,
    async () => {
      const document = new ApiDocument((await new Api(undefined, service.url).get('/docs-json')).body);
      const report = await fuzz(service.url, document, await knownAt(service.url, databaseUrl), {
        runs: RUNS,
        seed: SEED,
      });
      process.stdout.write(`${table(report)}\n`);
      expect(report.failure).toBeUndefined();
      expect(report.runs).toBe(RUNS);
      // A fuzzer whose requests are all rejected early would test authentication and routing only.
      const unserved = document.operations
        .map(({ method, path }) => `${method} ${path}`)
        .filter((route) => [...(report.counts.get(route)?.keys() ?? [])].every((status) => status >= 400));
      // There is no payment provider here, and no experiment ends, so that it could be judged.
      expect(unserved.sort()).toEqual([
        'GET /api/v1/experiments/{id}/ballot',
        'GET /api/v1/shared/{token}/ballot',
        'POST /api/v1/admin/meter-events/{id}/resend',
        'POST /api/v1/billing/payment-method',
        'POST /api/v1/experiments/{id}/votes',
        'POST /api/v1/shared/{token}/votes',
      ]);
      expect(service.output()).not.toContain('"level":"error"');
    },
    120_000 + RUNS * 120,
  );

  it(
    `answers random checks and shares without a 5xx (${BODIES} bodies, seed ${SEED})`,
    async () => {
      const document = new ApiDocument((await new Api(undefined, service.url).get('/docs-json')).body);
      const report = await fuzzWith(
        service.url,
        document,
        checksAndShares(document, await knownAt(service.url, databaseUrl)),
        { runs: BODIES, seed: SEED },
      );
      process.stdout.write(`${table(report)}\n`);
      expect([report.failure, report.runs]).toEqual([undefined, BODIES]);
      // Most of them are taken and looked into, and not only refused.
      for (const [route, good] of [
        ['POST /api/v1/checks', 200],
        ['POST /api/v1/shares', 201],
      ] as const)
        expect(report.counts.get(route)?.get(good)).toBeGreaterThan(BODIES / 10);
      expect(service.output()).not.toContain('"level":"error"');
    },
    120_000 + BODIES * 120,
  );
});

/** A user with evals, shares, runs, data sets and experiments, another user, and invalid keys. */
async function knownAt(url: string, databaseUrl: string): Promise<Known> {
  const [caller, otherUser, revoked, spare] = (await Promise.all(
    Array.from({ length: 4 }, () => createCaller({ at: url })),
  )) as [Caller, Caller, Caller, Caller];
  // Many, because requests erase them.
  const evals = await Promise.all(
    [...Array.from({ length: 60 }, () => caller), otherUser].map(
      async (one) => (await one.compare({ prompt: 'here', models: ['sim-swift'] })).body.eval_id as string,
    ),
  );
  await operator(url).delete(`/api/v1/admin/keys/${revoked.keyId}`);
  // As many, because requests revoke and replace them.
  const keys = await Promise.all(
    Array.from(
      { length: 30 },
      async () =>
        (await operator(url).post(`/api/v1/admin/users/${spare.userId}/keys`, { name: 'spare' })).body.id as string,
    ),
  );
  return {
    caller: caller.key ?? '',
    operator: TEST_SECRETS.ADMIN_API_KEY,
    dead: [undefined, 'nonsense', revoked.key, 'mcs_000000000000000000000000000000000000'],
    ids: {
      evals,
      ...(await experiments(caller, evals[0] ?? '', databaseUrl)),
      ...(await sharesAndRuns(caller, evals[0] ?? '')),
      users: [spare.userId, otherUser.userId],
      keys: [...keys, revoked.keyId],
    },
  };
}

/** Links and runs of that caller; many links, because requests revoke them. */
async function sharesAndRuns(caller: Caller, evalId: string): Promise<Record<string, string[]>> {
  const of = (things: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => idFor(things, caller, evalId)));
  return { shares: await of('shares', 20), shared: await of('shared', 2), runs: await of('runs', 3) };
}

/**
 * Data sets and finished experiments of that caller, which another process runs before there are runs to cancel; many,
 * because requests erase them.
 */
async function experiments(caller: Caller, evalId: string, databaseUrl: string): Promise<Record<string, string[]>> {
  const working = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on' });
  const ids = await inTurn(10, () => idFor('experiments', caller.at(working.url), evalId));
  await working.stop();
  return { experiments: ids, datasets: await inTurn(20, (index) => datasetOf(caller, index)) };
}

async function datasetOf(caller: Caller, index: number): Promise<string> {
  return (await caller.post('/api/v1/datasets', { rows: [{ input: `row ${index}` }] })).body.dataset_id as string;
}

/** One after the other: a user uploads one data set at a time. */
async function inTurn<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let index = 0; index < count; index += 1) done.push(await work(index));
  return done;
}
