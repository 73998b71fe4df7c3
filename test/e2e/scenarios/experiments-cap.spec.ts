import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { sumOf, units, verifyLedger } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';
import catalog from '../../../src/modules/models/catalog.json';

/** 200 take five minutes. */
const EXPERIMENTS = Number(process.env['EXPERIMENTS'] ?? 40);
const A_USER = 2;
const ROWS = 12;
const MODEL = 'gpt-5.4-mini';
/** Half a minute before the price of the model doubles, and a minute later. */
const BEFORE = '2026-11-24T23:59:30.000Z';
const AFTER = '2026-11-25T00:00:30.000Z';
/** All rows of all experiments, on a machine with much else to do. */
const LONG_MS = 200_000;

/** The cap is exceeded where the cost and the most that dealt rows can cost are together more. */
const EXCEEDED = `
  select id, cost, held, max_cost from experiments
  cross join lateral (select coalesce(sum(max_cost), 0) as held from experiment_rows where experiment_id = experiments.id and state = 'dealt') as dealt
  where cost + held > max_cost`;

/** Looks every 10 ms, on a separate connection, for a cap that does not hold. */
class Watch {
  looks = 0;
  readonly found: unknown[] = [];
  private isOver = false;
  private watching = Promise.resolve();

  constructor(private readonly databaseUrl: string) {
    this.watching = this.look();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.watching;
  }

  private async look(): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    while (!this.isOver) {
      const { rows } = await client.query(EXCEEDED);
      this.found.push(...rows);
      this.looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await client.end();
  }
}

const random = (from: number, to: number) => from + Math.random() * (to - from);

/** Rows whose vendor counts what it wants: little, up to the limit, or far above it. */
function rowsOf(): string {
  return Array.from({ length: ROWS }, (_, index) => {
    const counts = [
      { inputTokens: 20, outputTokens: Math.ceil(random(1, 60)) },
      { inputTokens: 100_000_000, outputTokens: 100_000_000 },
      { usage: 'none' as const },
    ][index % 3];
    return JSON.stringify({
      input: `row ${index} ${vendorScript(randomUUID(), { '*': { ...counts, delayMs: Math.ceil(random(1, 80)) } })}`,
    });
  }).join('\n');
}

interface Started {
  caller: Caller;
  id: string;
}

/** Starts experiments with caps from far too low to higher than the most that they can cost. */
async function startAll(urls: readonly string[]): Promise<Started[]> {
  const started: Started[] = [];
  for (let user = 0; user < EXPERIMENTS / A_USER; user += 1) {
    const caller = await createCaller({ at: urls[user % 2] ?? '', freeQuota: 0 });
    for (let index = 0; index < A_USER; index += 1) {
      const {
        body: { dataset_id: dataset },
      } = await caller.post(`/api/v1/datasets?name=${index}`, rowsOf(), {
        headers: { 'content-type': 'application/x-ndjson' },
      });
      const body = {
        dataset,
        prompt: '{input}',
        models: [MODEL],
        options: { max_tokens: 60 },
        parallel: Math.ceil(random(1, 8)),
      };
      const { most_cost_usd: most } = (await caller.post('/api/v1/experiments/estimate', body)).body;
      const answer = await caller.post('/api/v1/experiments', {
        ...body,
        max_cost_usd: Number((most * random(0.05, 1.2)).toFixed(9)),
      });
      started.push({ caller, id: answer.body.experiment_id });
    }
  }
  return started;
}

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random(0, list.length))] as T;

/** People who pause, resume and change caps of any experiment all the time. */
class People {
  private isOver = false;
  private readonly working: Promise<unknown>;

  constructor(
    private readonly started: readonly Started[],
    private readonly urls: () => string[],
  ) {
    this.working = Promise.all(Array.from({ length: 6 }, () => this.work()));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.working;
  }

  private async work(): Promise<void> {
    while (!this.isOver) {
      const { caller, id } = oneOf(this.started);
      const body = oneOf([
        { state: 'paused' },
        { state: 'running' },
        { max_cost_usd: Number(random(0, 0.005).toFixed(9)) },
      ]);
      // A process that is dead refuses connections.
      await caller
        .at(oneOf(this.urls()))
        .patch(`/api/v1/experiments/${id}`, body)
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** The experiments that cost more than their caps, or other than their evals. */
async function wrongBooks(query: Query): Promise<unknown[]> {
  const experiments = await query<{ id: string; cost: string; charge: string; max_cost: string }>(
    'select * from experiments',
  );
  const sums = await query<{ id: string; cost: string; charge: string }>(
    'select experiment_id as id, sum(total_cost)::text as cost, sum(charge)::text as charge from evals group by 1',
  );
  return experiments.filter(({ id, cost, charge, max_cost: cap }) => {
    const sum = sums.find((one) => one.id === id) ?? { cost: '0', charge: '0' };
    return (
      units(sumOf([cost])) > units(sumOf([cap])) ||
      sumOf([cost]) !== sumOf([sum.cost]) ||
      sumOf([charge]) !== sumOf([sum.charge])
    );
  });
}

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

describe('The cap of an experiment', () => {
  it(`holds at every instant for ${EXPERIMENTS} experiments in two processes, while vendors count too much, a price doubles, processes die, and people pause and change caps`, async () => {
    const databaseUrl = await ownDatabase('experiments_cap');
    const file = join(temporaryFolder(), 'catalog.json');
    const model: Json = catalog.find(({ id }) => id === MODEL);
    const [price] = model.prices as [Json];
    writeFileSync(
      file,
      JSON.stringify([
        {
          ...model,
          prices: [
            { ...price, until: '2026-11-24' },
            { ...price, from: '2026-11-25', input: '1.50', output: '9.00' },
          ],
        },
      ]),
    );
    const start = (at: string) =>
      startService({
        DATABASE_URL: databaseUrl,
        MIGRATE_ON_START: 'true',
        RESERVATION_TTL_SECONDS: '1',
        RATE_LIMIT_READ_PER_MINUTE: '1000000',
        MODEL_CATALOG_FILE: file,
        TEST_CLOCK: at,
        ...vendorVariables(worker().vendorUrl),
      });
    const services: ServiceProcess[] = await Promise.all([start(BEFORE), start(BEFORE)]);
    const query = async <Row extends object>(text: string, values: unknown[] = []) =>
      onDatabase(databaseUrl, async (client) => (await client.query<Row>(text, values)).rows);
    const watch = new Watch(databaseUrl);
    const started = await startAll(services.map(({ url }) => url));
    const people = new People(started, () => services.map(({ url }) => url));
    const ended = async () => (await query('select 1 from evals')).length;
    await eventually('some rows have ended', async () => (await ended()) > EXPERIMENTS, LONG_MS);
    for (const service of services) await service.moveClock(60_000);
    for (let kills = 0; kills < 4; kills += 1) {
      const before = await ended();
      await services[kills % 2]?.kill();
      services[kills % 2] = await start(AFTER);
      await eventually(
        'more rows have ended',
        async () =>
          (await ended()) > before || (await query("select 1 from experiments where state = 'running'")).length === 0,
        LONG_MS,
      );
    }
    await people.stop();
    for (const { caller, id } of started) {
      const back = caller.at(services[0]?.url ?? '');
      const { body } = await back.get(`/api/v1/experiments/${id}`);
      if (body.reason === 'by_user') await back.patch(`/api/v1/experiments/${id}`, { state: 'running' });
    }
    await eventually(
      'nothing runs',
      async () =>
        (await query("select 1 from experiments where state = 'running'")).length === 0 &&
        (await query("select 1 from experiment_rows where state = 'dealt'")).length === 0,
      LONG_MS,
    );
    await watch.stop();
    const experiments = await query<{ state: string; reason: string | null }>('select state, reason from experiments');
    expect({ found: watch.found, wrong: await wrongBooks(query) }).toEqual({ found: [], wrong: [] });
    const states = Object.fromEntries(
      [...Map.groupBy(experiments, ({ state, reason }) => reason ?? state)].map(([name, list]) => [name, list.length]),
    );
    expect(Object.keys(states).sort()).toEqual(['cap_reached', 'finished']);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    process.stdout.write(
      `The caps of ${EXPERIMENTS} experiments: ${JSON.stringify({ looks: watch.looks, exceeded: watch.found.length, evals: await ended(), states })}\n`,
    );
    for (const service of services) expect(await service.stop()).toBe(0);
  }, 600_000);

  it('is never lowered below what is spent and held, by 1,000 changes at the same time', async () => {
    const databaseUrl = await ownDatabase('experiments_caps');
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      DATABASE_TIMEOUT_MS: '60000',
    });
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const {
      body: { dataset_id: dataset },
    } = await caller.post(
      '/api/v1/datasets?name=a',
      Array.from({ length: 200 }, (_, index) => JSON.stringify({ input: `row ${index} [[sim:pace=5]]` })).join('\n'),
      { headers: { 'content-type': 'application/x-ndjson' } },
    );
    const { experiment_id: id } = (
      await caller.post('/api/v1/experiments', { dataset, prompt: '{input}', models: ['sim-swift'], max_cost_usd: 1 })
    ).body;
    const watch = new Watch(databaseUrl);
    const statuses = new Set<number>();
    for (let batch = 0; batch < 20; batch += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          caller.patch(`/api/v1/experiments/${id}`, { max_cost_usd: Number(random(0, 0.005).toFixed(12)) }),
        ),
      );
      for (const { status } of answers) statuses.add(status);
    }
    await watch.stop();
    expect({
      found: watch.found,
      statuses: [...statuses].filter((status) => ![200, 409, 429].includes(status)),
    }).toEqual({ found: [], statuses: [] });
    expect(await service.stop()).toBe(0);
  });
});
