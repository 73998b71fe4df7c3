import { cpus } from 'node:os';
import { openDatabases, type Databases } from './databases';
import { makeCallers, prepare, type Bench, type Past, type Side } from './ground';
import { growth } from './growth';
import { figuresOf, Meter, ratiosOf, type Contestant, type Figures } from './measure';
import { memory } from './memory';
import { ProcessFamily } from './process-family';
import { Load, stopAll } from './processes';
import { finish, printPart, type PartResult, type Value } from './report';
import { compares, READS, reads, type CompareShape } from './requests';
import { EIGHT_MODELS, MODELS, say, SETTINGS } from './settings';
import { median } from './statistics';
import { streams } from './streams';

const PARTS = ['start', 'compare', 'steady', 'reads', 'streams', 'memory', 'growth'];
const PARALLEL = 64;
const READ_PARALLEL = 16;
const VENDOR_MS = 50;
const MOST_START_MS = 1700;
const JSON_TARGETS: Targets = {
  yardstick: { least: 0.4 },
  'streaming yardstick': { least: 0.6 },
  before: { most: 0.55 },
};
/** Of compares that come at a steady rate, whether or not earlier ones are answered. */
const STEADY = { perSecond: 100, seconds: 10, targets: { yardstick: { p99: 1.5, postgres: 2.2 } } };
const SSE_TARGETS: Targets = { yardstick: { least: 0.45 }, before: { most: 0.75 } };
/** Of a compare of 4 models over JSON. */
const MOST_POSTGRES_MS = 1.1;
/** Settings of users whose compares reserve first. */
const RESERVING = {
  'free evals': { free_quota: 1_000_000_000 },
  'a spend limit': { monthly_spend_limit_usd: 1_000_000 },
};

/** The least requests/s, and the most processor time, p99 and time of Postgres of the first server over others. */
type Target = Pick<Value, 'least' | 'most'> & { p99?: number; postgres?: number };
type Targets = Record<string, Target>;

/** The figures of two servers that are compared, and the target of each. */
const RATIOS: [string, (one: Figures) => number, (target: Target) => Target][] = [
  ['requests/s', ({ perSecond }) => perSecond, ({ least }) => ({ least })],
  ['p99', ({ latency }) => latency.p99, ({ p99 }) => ({ most: p99 })],
  ['processor time of the server', ({ serverCpuMs }) => serverCpuMs, ({ most }) => ({ most })],
  ['processor time of Postgres', ({ postgresCpuMs }) => postgresCpuMs, ({ postgres }) => ({ most: postgres })],
];

/** The same load on each server in turns. */
async function duel(
  name: string,
  jobOf: (past: Past) => Contestant['job'],
  { meter, sides, seconds = SETTINGS.seconds }: { meter: Meter; sides: Record<string, Side>; seconds?: number },
  targets: Targets = {},
  mostPostgresMs?: number,
): Promise<PartResult> {
  const rounds = await meter.takeTurns(
    Object.fromEntries(Object.entries(sides).map(([key, side]) => [key, { server: side.server, job: jobOf(side) }])),
    { seconds: SETTINGS.warmUpSeconds },
    { seconds },
  );
  const figures = Object.fromEntries(Object.entries(rounds).map(([key, all]) => [key, figuresOf(all)]));
  const [first = '', ...others] = Object.keys(sides);
  const ratios = RATIOS.flatMap(([what, of, targetOf]) =>
    others.map((other) => {
      const all = ratiosOf(rounds[first], rounds[other], of);
      return {
        what: `${what}, ${first} over ${other} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`,
        value: median(all),
        unit: '×',
        ...targetOf(targets[other] ?? {}),
      };
    }),
  );
  const values = [
    ...ratios,
    ...(mostPostgresMs === undefined
      ? []
      : [
          {
            what: `processor time of Postgres, ${first}`,
            value: figures[first]?.postgresCpuMs ?? Number.NaN,
            unit: 'ms',
            most: mostPostgresMs,
          },
        ]),
  ];
  return { name, figures, values };
}

async function* comparesOf({ meter, sides }: Bench): AsyncGenerator<PartResult> {
  for (const [parallel, most] of [
    [1, 8],
    [32, 30],
  ] as const) {
    const part = await duel(
      `compare, latency without the slowest vendor (${VENDOR_MS} ms), ${parallel} parallel`,
      (past) => ({
        connections: parallel,
        requests: compares(past, { directives: `[[delay=${VENDOR_MS}]]` }),
        takeOffVendor: true,
      }),
      { meter, sides },
    );
    yield {
      ...part,
      values: [{ what: 'added p50', value: part.figures?.['service']?.latency.p50 ?? Number.NaN, unit: 'ms', most }],
    };
  }
  const { service, yardstick } = sides;
  const streaming = { ...yardstick, server: await yardstick.start({ VENDOR_STREAMS: 'true' }) };
  const rows: [string, CompareShape, Record<string, Side>, Targets?, number?][] = [
    ['1 model', { models: MODELS.slice(0, 1) }, sides],
    ['4 models', {}, { ...sides, 'streaming yardstick': streaming }, JSON_TARGETS, MOST_POSTGRES_MS],
    ['8 models', { models: EIGHT_MODELS }, sides],
    ['4 models over SSE', { isStreamed: true }, sides, SSE_TARGETS],
  ];
  for (const [name, settings] of Object.entries(RESERVING)) {
    const callers = await makeCallers(service.server.port, SETTINGS.users, settings);
    rows.push([
      `4 models with ${name}`,
      {},
      { reserving: { ...service, keys: callers.map(({ key }) => key) }, others: service },
    ]);
  }
  for (const [name, shape, among, ...targets] of rows)
    yield duel(
      `compare of ${name}, vendor of 0 ms, ${PARALLEL} parallel`,
      (past) => ({ connections: PARALLEL, requests: compares(past, shape) }),
      { meter, sides: among },
      ...targets,
    );
  await streaming.server.stop();
}

/** With the whole latency, as callers see it. */
const steady = (bench: Bench): Promise<PartResult> =>
  duel(
    `compare, ${STEADY.perSecond} a second, vendor of ${VENDOR_MS} ms`,
    (past) => ({
      connections: PARALLEL,
      perSecond: STEADY.perSecond,
      requests: compares(past, { directives: `[[delay=${VENDOR_MS}]]` }),
    }),
    { ...bench, seconds: STEADY.seconds },
    STEADY.targets,
  );

async function* readsOf({ meter, sides }: Bench): AsyncGenerator<PartResult> {
  for (const [name, { pathOf, least }] of Object.entries(READS)) {
    yield duel(
      `${name}, ${READ_PARALLEL} parallel`,
      (past) => ({ connections: READ_PARALLEL, requests: reads(past.keys[0], (index) => pathOf(past, index)) }),
      { meter, sides },
      { yardstick: { least } },
    );
  }
}

async function starts(sides: Bench['sides']): Promise<PartResult> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round < SETTINGS.rounds; round += 1) {
    for (const [name, { start }] of Object.entries(sides)) {
      const server = await start();
      (times[name] ??= []).push(server.startMs);
      await server.stop();
    }
  }
  return {
    name: 'start to ready',
    values: Object.entries(times).map(([what, all]) => ({
      what,
      value: median(all),
      unit: 'ms',
      ...(what === 'service' && { most: MOST_START_MS }),
    })),
  };
}

/** The parts that were asked for, one after the other; growth only if it is named. */
async function* parts(databases: Databases, words: readonly string[]): AsyncGenerator<PartResult> {
  const isWanted = (part: string) => (words.length === 0 ? part !== 'growth' : words.includes(part));
  if (isWanted('growth')) yield* growth(databases);
  if (!PARTS.slice(0, -1).some(isWanted)) return;
  const load = new Load();
  const bench = {
    load,
    meter: new Meter(load, await ProcessFamily.ofPostgres(databases.url)),
    sides: await prepare(databases),
  };
  if (isWanted('start')) yield starts(bench.sides);
  if (isWanted('compare')) yield* comparesOf(bench);
  if (isWanted('steady')) yield steady(bench);
  if (isWanted('reads')) yield* readsOf(bench);
  if (isWanted('streams')) yield* streams(bench);
  if (isWanted('memory')) yield memory(bench);
}

async function main(words: readonly string[]): Promise<void> {
  const unknown = words.filter((word) => !PARTS.includes(word));
  if (unknown.length > 0) throw new Error(`No such part: ${unknown.join(', ')}. The parts are ${PARTS.join(', ')}.`);
  say(
    `Service against yardstick: ${SETTINGS.rounds} rounds of ${SETTINGS.seconds} s each, ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`,
  );
  const databases = await openDatabases();
  const results: PartResult[] = [];
  try {
    for await (const result of parts(databases, words)) {
      results.push(result);
      printPart(result);
    }
  } finally {
    await stopAll();
    await databases.stop();
  }
  finish(results);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().then(() => process.exit(1)));
main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  },
);
