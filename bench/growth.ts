import { onDatabase } from '../test/support/database';
import { seededId, seedEvals, settle, type Databases, type SeededUser } from './databases';
import { makeCallers, type Caller } from './ground';
import { figuresOf, Meter, type Contestant, type Figures } from './measure';
import { ProcessFamily } from './process-family';
import { Load, startService, startVendor, type ServerProgram } from './processes';
import type { PartResult } from './report';
import { reads } from './requests';
import { MODELS, say, SETTINGS } from './settings';

const MAX_RATIO = 1.3;
const MAX_FAR_OFFSET_MS = 300;
const MAX_SEARCH_RATIO = 10;
const VARIETY = 256;
const PAGE = 20;
const PART = 100_000;
/** Fewer than a compare of the bench has: only an eval by id shows them all, and a million evals are seeded faster. */
const SEEDED_MODELS = MODELS.slice(0, 2);

/** The heavy user's evals grow; all of the old user's are older, all of the new user's newer. */
const WHO = ['old', 'heavy', 'new'] as const;
const OLD_EVALS = 60_000;
const NEW_EVALS = 100;

type Reader = SeededUser & Caller & { evals: number };
type Readers = Record<(typeof WHO)[number], Reader>;
type PathOf = (reader: Reader, index: number) => string;

/** Reads whose time depends neither on the user's own past nor on that of others. */
const READS: Record<string, PathOf> = {
  'first page': () => '/api/v1/evals',
  'page by cursor': (reader, index) => `/api/v1/evals?cursor=${seededId(reader, spread(reader.evals, index))}`,
  'eval by id': (reader, index) => `/api/v1/evals/${seededId(reader, spread(reader.evals, index))}`,
  usage: () => '/api/v1/usage',
  'breakdown by model': () => '/api/v1/usage/breakdown?by=model',
  'breakdown by day': () => '/api/v1/usage/breakdown?by=day',
};
/** The last page, before which all others have to be counted, and a search that finds nothing. */
const FAR_OFFSET: PathOf = ({ evals }) => `/api/v1/evals?offset=${Math.max(0, evals - PAGE)}`;
const SEARCH: PathOf = () => '/api/v1/evals?q=nobody+has+written+this';

/**
 * Numbers from everywhere between the oldest eval with a page before it and the newest, in no order that a cache would
 * favor.
 */
function spread(evals: number, index: number): number {
  const last = evals - PAGE;
  return PAGE + 1 + ((((index * 7919) % VARIETY) * Math.max(1, Math.floor(last / VARIETY))) % last);
}

/** Measures the reads of three users while the evals of one of them grow. */
export async function* growth(databases: Databases): AsyncGenerator<PartResult> {
  const databaseUrl = await databases.fresh('mcs_bench_growth');
  const server = await startService(databaseUrl, await startVendor(), { MIGRATE_ON_START: 'true' });
  const callers = await makeCallers(server.port, WHO.length);
  const readers = Object.fromEntries(
    callers.map((caller, era) => [
      WHO[era],
      { ...caller, era, month: new Date().toISOString().slice(0, 7), models: SEEDED_MODELS, evals: 0 },
    ]),
  ) as Readers;
  const meter = new Meter(new Load(), await ProcessFamily.ofPostgres(databases.url));
  await seedUpTo(databaseUrl, readers.old, OLD_EVALS);
  await seedUpTo(databaseUrl, readers.new, NEW_EVALS);
  const smallest = new Map<string, Figures>();
  const sizes = SETTINGS.growthSizes.toSorted((left, right) => left - right);
  for (const size of sizes) {
    await seedUpTo(databaseUrl, readers.heavy, size);
    await onDatabase(databaseUrl, settle);
    for (const reader of Object.values(readers)) await refuseWrongSeed(server, reader);
    // Until everything is compiled: a cold start in the first size would flatter the others.
    if (size === sizes[0])
      for (const pathOf of Object.values(READS))
        await meter.measure(contestantOf(server, pathOf, readers.heavy), { seconds: SETTINGS.warmUpSeconds });
    yield* measure(meter, server, readers, smallest);
  }
  await server.stop();
}

async function* measure(
  meter: Meter,
  server: ServerProgram,
  readers: Readers,
  smallest: Map<string, Figures>,
): AsyncGenerator<PartResult> {
  const size = `${readers.heavy.evals.toLocaleString('en')} evals of the heavy user`;
  let firstPageMs = Number.NaN;
  for (const [name, pathOf] of Object.entries(READS)) {
    const rounds = await meter.takeTurns(
      Object.fromEntries(WHO.map((who) => [who, contestantOf(server, pathOf, readers[who])])),
    );
    const figures = Object.fromEntries(Object.entries(rounds).map(([who, all]) => [who, figuresOf(all)]));
    const heavy = figures['heavy'];
    if (heavy === undefined) return;
    if (name === 'first page') firstPageMs = heavy.latency.p50;
    const least = smallest.get(name) ?? heavy;
    smallest.set(name, least);
    const times = Object.values(figures).map(({ latency }) => latency.p50);
    yield {
      name: `${name}, ${size}`,
      figures,
      values: [
        {
          what: 'p50, most of the three users over the least',
          value: Math.max(...times) / Math.min(...times),
          unit: '×',
          most: MAX_RATIO,
        },
        {
          what: 'p50 over that of the smallest size',
          value: heavy.latency.p50 / least.latency.p50,
          unit: '×',
          most: MAX_RATIO,
        },
        {
          what: 'processor time over that of the smallest size',
          value: cpuOf(heavy) / cpuOf(least),
          unit: '×',
          most: MAX_RATIO,
        },
      ],
    };
  }
  const { offset = [], search = [] } = await meter.takeTurns({
    offset: contestantOf(server, FAR_OFFSET, readers.heavy),
    search: contestantOf(server, SEARCH, readers.heavy),
  });
  const figures = { offset: figuresOf(offset), search: figuresOf(search) };
  yield {
    name: `last page by offset and search in vain, ${size}`,
    figures,
    values: [
      { what: 'last page by offset, p50', value: figures.offset.latency.p50, unit: 'ms', most: MAX_FAR_OFFSET_MS },
      {
        what: 'search in vain, p50 over that of the first page',
        value: figures.search.latency.p50 / firstPageMs,
        unit: '×',
        most: MAX_SEARCH_RATIO,
      },
    ],
  };
}

const cpuOf = ({ serverCpuMs, postgresCpuMs }: Figures) => serverCpuMs + postgresCpuMs;

function contestantOf(server: ServerProgram, pathOf: PathOf, reader: Reader): Contestant {
  return { server, job: { connections: 1, requests: reads(reader.key, (index) => pathOf(reader, index), VARIETY) } };
}

/**
 * Gives a user evals up to that number, in parts, so that no single transaction fills the disk with sorting and WAL.
 */
async function seedUpTo(databaseUrl: string, reader: Reader, evals: number): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    for (; reader.evals < evals; reader.evals = Math.min(evals, reader.evals + PART))
      await seedEvals(client, reader, reader.evals + 1, Math.min(evals, reader.evals + PART));
  });
  say(`Seeded ${evals.toLocaleString('en')} evals`);
}

async function refuseWrongSeed({ port }: ServerProgram, { key, evals }: Reader): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/usage`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { eval_count: count } = (await response.json()) as { eval_count?: number };
  if (count !== evals) throw new Error(`${evals} evals were seeded, the service counts ${count}.`);
}
