import { randomUUID } from 'node:crypto';
import { operator } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey, chargedOf, verifyLedger, exact, reservationsOf } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { startVendorGate } from '../../support/vendor-gate';
import { vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

/** How many requests the mixed run makes; 5000 by hand. */
const RUN = Number(process.env['LEDGER_RUN'] ?? '600');
const AT_ONCE = 25;
const TIMEOUT_MS = 60_000 + RUN * 60;

async function aService(
  name: string,
  vendorUrl = worker().vendorUrl,
): Promise<{ databaseUrl: string; start: () => Promise<ServiceProcess> }> {
  const databaseUrl = await ownDatabase(name);
  const variables = {
    DATABASE_URL: databaseUrl,
    MIGRATE_ON_START: 'true',
    RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
    RATE_LIMIT_READ_PER_MINUTE: '1000000',
    MAX_CONCURRENT_COMPARES_PER_KEY: '1000',
    ...vendorVariables(vendorUrl),
  };
  return { databaseUrl, start: () => startService(variables) };
}

const passed = ({ status }: { status: number }) => (status === 200 ? 1 : 0);
const events = { headers: { accept: 'text/event-stream' } };

/** One request of each kind; each returns the number of evals that it must have created. */
const KINDS: ((caller: Caller) => Promise<number>)[] = [
  async (caller) => passed(await caller.compare({ prompt: 'Hello', models: ['sim-swift'] })),
  async (caller) =>
    passed(
      await caller.compare({
        prompt: randomUUID(),
        models: ['sim-swift', 'sim-sage', 'gpt-6.2-sol', 'claude-haiku-4-5'],
      }),
    ),
  async (caller) =>
    passed(
      await caller.compare({
        prompt: `${randomUUID()}[[sim-sage:fail=rejected]]`,
        models: ['sim-sage', 'sim-titan', 'gpt-5.4-mini'],
      }),
    ),
  async (caller) =>
    passed(await caller.compare({ prompt: '[[sim:fail=rejected]]', models: ['sim-swift', 'sim-quill'] })),
  async (caller) =>
    passed(
      await caller.compare({
        prompt: vendorScript(randomUUID(), { '*': { usage: 'none' } }),
        models: ['gpt-5.4-mini', 'mistral-small-2603'],
      }),
    ),
  // A vendor that counts 3 million tokens: above every limit.
  async (caller) =>
    passed(
      await caller.compare({
        prompt: vendorScript(randomUUID(), { '*': { inputTokens: 3_000_000, cachedTokens: 7, outputTokens: 9 } }),
        models: ['gpt-6-luna'],
      }),
    ),
  async (caller) =>
    passed(await caller.compare({ prompt: randomUUID(), models: ['sim-quill', 'openrouter/minimax-m3'] }, events)),
  async (caller) => {
    const order = { prompt: randomUUID(), models: ['sim-quill', 'grok-4.3'] };
    const key = { headers: { 'idempotency-key': order.prompt } };
    const [first, second] = await Promise.all([caller.compare(order, key), caller.compare(order, key)]);
    const third = await caller.compare(order, key);
    expect([first.status, second.status].filter((status) => ![200, 402, 409].includes(status))).toEqual([]);
    return passed(third);
  },
  async (caller) =>
    passed(
      await caller.compare({
        prompt: `${randomUUID()}[[sim:vary=5]]`,
        models: ['sim-swift', 'sim-quill', 'gpt-6.2-sol'],
        options: { samples: 3 },
      }),
    ),
  // With one model that fails in its first sample, as a stream.
  async (caller) =>
    passed(
      await caller.compare(
        {
          prompt: vendorScript(randomUUID(), { 'gpt-5.4-mini': { fault: 'bad-request', failFirst: 1 } }),
          models: ['sim-quill', 'gpt-5.4-mini'],
          options: { samples: 2 },
        },
        events,
      ),
    ),
  hangUp,
];

/** Disconnects once the run has begun, which must make no difference. */
async function hangUp(caller: Caller): Promise<number> {
  const response = await fetch(`${caller.url}/api/v1/compare`, {
    method: 'POST',
    body: JSON.stringify({ prompt: `${randomUUID()}[[sim:slow=150]]`, models: ['sim-swift', 'sim-titan'] }),
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...events.headers },
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  return passed(response);
}

/** Users with and without quota and limits, and a second key with a separate limit. */
async function theUsers(url: string): Promise<Caller[]> {
  const [free, paying, limited] = [
    await createCaller({ at: url, freeQuota: RUN }),
    await createCaller({ at: url, freeQuota: 5 }),
    await createCaller({ at: url, freeQuota: 3, monthlySpendLimitUsd: RUN / 100 }),
  ];
  return [free, paying, limited, await anotherKey(paying, { monthly_spend_limit_usd: RUN / 200 })];
}

async function mixedRun(callers: readonly Caller[]): Promise<number> {
  let next = 0;
  let evals = 0;
  const work = async () => {
    for (let index = next++; index < RUN; index = next++) {
      const [kind, caller] = [KINDS[index % KINDS.length], callers[Math.floor(index / KINDS.length) % callers.length]];
      if (kind === undefined || caller === undefined) throw new Error('no such request');
      const created = await kind(caller);
      evals += created;
      if (index % 40 === 0)
        await operator(caller.url).post(`/api/v1/admin/users/${caller.userId}/adjustments`, {
          amount_usd: (index % 7) / 1e6 - 3e-6,
          reason: `after ${index}`,
        });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return evals;
}

async function runningOut(databaseUrl: string): Promise<void> {
  await eventually('nothing runs any more', () =>
    onDatabase(databaseUrl, async (client) => (await client.query('select 1 from reservations')).rowCount === 0),
  );
}

describe('The ledger', () => {
  it(
    'is consistent after a concurrent run of every kind of eval, and contains each one',
    async () => {
      const { databaseUrl, start } = await aService('ledger');
      const service = await start();
      try {
        const callers = await theUsers(service.url);
        const begun = performance.now();
        const evals = await mixedRun(callers);
        await runningOut(databaseUrl);
        const [ranMs, checked] = [performance.now() - begun, performance.now()];
        expect(evals).toBeGreaterThan(RUN / 3);
        expect(await verifyLedger(databaseUrl)).toEqual({
          status: 0,
          output: expect.stringContaining(
            `The ledger is consistent: ${evals.toLocaleString('en-US')} evals in 3 monthly totals.`,
          ),
        });
        if (RUN > 600)
          process.stdout.write(
            `${RUN} requests, ${evals} evals in ${(ranMs / 1000).toFixed(1)} s; checked in ${((performance.now() - checked) / 1000).toFixed(1)} s\n`,
          );
        for (const caller of callers.slice(0, 3)) {
          const { total } = exact((await caller.get('/api/v1/usage/statement')).text);
          expect(total).toMatchObject({
            charge_usd: await chargedOf(caller),
            eval_count: `${(await caller.usage()).eval_count}`,
          });
        }
      } finally {
        await service.stop();
      }
    },
    TIMEOUT_MS,
  );

  it('is consistent after kill -9 in the middle of 20 compares, and after the restart', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    const { databaseUrl, start } = await aService('ledger_crash', gate.url);
    const service = await start();
    // With a limit, so that each eval that runs holds a reservation of money.
    const caller = await createCaller({ at: service.url, freeQuota: 5, monthlySpendLimitUsd: 1000 });
    const quick = Array.from({ length: 10 }, () =>
      caller.compare({ prompt: randomUUID(), models: ['sim-swift', 'sim-titan'] }),
    );
    expect((await Promise.all(quick)).every(({ status }) => status === 200)).toBe(true);
    gate.shut();
    // Some are being stored at the very moment, others wait for their vendors.
    const lost = Array.from({ length: 20 }, (_, index) => {
      const models = index % 2 === 0 ? ['sim-swift', 'gpt-5.4-mini'] : ['sim-swift', 'sim-titan'];
      return caller.compare({ prompt: `[[sim:slow=${index * 20}]]`, models }).catch(() => undefined);
    });
    await eventually(
      'ten wait for a vendor, and some of the others are stored',
      async () => (await reservationsOf(databaseUrl, caller.userId)) >= 10 && (await caller.usage()).eval_count > 12,
    );
    await service.kill();
    const acknowledged = (await Promise.all(lost)).filter((answer) => answer?.status === 200).length;
    expect((await verifyLedger(databaseUrl)).output).toContain('The ledger is consistent');
    const next = await start();
    try {
      const back = caller.at(next.url);
      expect((await back.usage()).eval_count).toBeGreaterThanOrEqual(10 + acknowledged);
      await back.compare({ prompt: 'after', models: ['sim-swift', 'sim-titan'] });
      expect((await verifyLedger(databaseUrl)).output).toContain(
        `The ledger is consistent: ${(await back.usage()).eval_count} evals in 1 monthly total.`,
      );
    } finally {
      await next.stop();
      await gate.close();
    }
  });
});
