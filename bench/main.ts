import { cpus } from 'node:os';
import { openDatabases, type Databases } from './databases';
import { prepare, startServers, type Bench, type Past } from './ground';
import { growth } from './growth';
import type { LoadJob } from './load';
import { figuresOf, Meter, ratiosOf, type Figures } from './measure';
import { memory } from './memory';
import { ProcessFamily } from './process-family';
import { Load, startService, startYardstick, stopAll } from './processes';
import { finish, printPart, type PartResult, type Value } from './report';
import { compares, READS, reads, type CompareShape } from './requests';
import { EIGHT_MODELS, MODELS, say, SETTINGS } from './settings';
import { median } from './statistics';
import { streams } from './streams';

const PARTS = ['start', 'compare', 'reads', 'streams', 'memory', 'growth'];
const PARALLEL = 64;
const READ_PARALLEL = 16;
const VENDOR_MS = 50;
const MAX_ADDED_MS = 8;
const COMPARE_TARGETS = { leastShare: 0.5, mostCpuMs: 1.7 };
const READ_SHARES: Record<string, number> = { 'GET evals (20)': 0.7, 'GET eval by id': 0.5, 'GET models': 0.42, 'GET usage': 0.42 };

/** The same load on each server in turns. */
async function duel(name: string, jobOf: (past: Past) => Omit<LoadJob, 'port'>, { meter, servers }: Bench, targets: { leastShare?: number; mostCpuMs?: number } = {}): Promise<PartResult> {
  const rounds = await meter.takeTurns(Object.fromEntries(Object.entries(servers).map(([server, { server: program, past }]) => [server, { server: program, job: jobOf(past) }])));
  const figures = Object.fromEntries(Object.entries(rounds).map(([server, all]) => [server, figuresOf(all)]));
  const ratio = (what: string, of: (one: Figures) => number, least?: number): Value[] => Object.keys(servers).slice(1).map((other) => {
    const all = ratiosOf(rounds['service'], rounds[other], of);
    return { what: `${what}, service over ${other} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`, value: median(all), unit: '×', ...(other === 'yardstick' && { least }) };
  });
  const values = [
    ...ratio('requests/s', ({ perSecond }) => perSecond, targets.leastShare),
    ...ratio('processor time of the server', ({ serverCpuMs }) => serverCpuMs),
    ...ratio('processor time of Postgres', ({ postgresCpuMs }) => postgresCpuMs),
    { what: 'processor time of the service', value: figures['service']?.serverCpuMs ?? Number.NaN, unit: 'ms', most: targets.mostCpuMs },
  ];
  return { name, figures, values };
}

async function* comparesOf(bench: Bench): AsyncGenerator<PartResult> {
  for (const connections of [1, 32]) {
    const part = await duel(`compare, latency without the slowest vendor (${VENDOR_MS} ms), ${connections} parallel`, (past) => ({ connections, requests: compares(past, { directives: `[[delay=${VENDOR_MS}]]` }), takeOffVendor: true }), bench);
    yield { ...part, values: [{ what: 'added p50', value: part.figures?.['service']?.latency.p50 ?? Number.NaN, unit: 'ms', most: MAX_ADDED_MS }] };
  }
  const shapes: [string, CompareShape, object?][] = [['1 model', { models: MODELS.slice(0, 1) }], ['4 models', {}, COMPARE_TARGETS], ['8 models', { models: EIGHT_MODELS }], ['4 models over SSE', { isStreamed: true }]];
  for (const [name, shape, targets] of shapes) yield duel(`compare of ${name}, vendor of 0 ms, ${PARALLEL} parallel`, (past) => ({ connections: PARALLEL, requests: compares(past, shape) }), bench, targets);
}

async function* readsOf(bench: Bench): AsyncGenerator<PartResult> {
  for (const [name, pathOf] of Object.entries(READS)) {
    yield duel(`${name}, ${READ_PARALLEL} parallel`, (past) => ({ connections: READ_PARALLEL, requests: reads(past.keys[0], (index) => pathOf(past, index)) }), bench, { leastShare: READ_SHARES[name] ?? 0 });
  }
}

async function starts({ ground: { serviceUrl, yardstickUrl, vendorUrl } }: Bench): Promise<PartResult> {
  const [service, yardstick]: [number[], number[]] = [[], []];
  for (let round = 0; round < SETTINGS.rounds; round += 1) {
    for (const [times, start] of [[service, () => startService(serviceUrl, vendorUrl)], [yardstick, () => startYardstick(yardstickUrl, vendorUrl)]] as const) {
      const server = await start();
      times.push(server.startMs);
      await server.stop();
    }
  }
  return { name: 'start to ready', values: [{ what: 'service', value: median(service), unit: 'ms', most: 2 * median(yardstick) + 1500 }, { what: 'yardstick', value: median(yardstick), unit: 'ms' }] };
}

/** The parts that were asked for, one after the other; growth only if it is named. */
async function* parts(databases: Databases, words: readonly string[]): AsyncGenerator<PartResult> {
  const isWanted = (part: string) => (words.length === 0 ? part !== 'growth' : words.includes(part));
  if (isWanted('growth')) yield* growth(databases);
  if (!PARTS.slice(0, -1).some(isWanted)) return;
  const ground = await prepare(databases);
  const load = new Load();
  const bench = { ground, load, meter: new Meter(load, await ProcessFamily.ofPostgres(ground.serviceUrl)), servers: await startServers(ground) };
  if (isWanted('start')) yield starts(bench);
  if (isWanted('compare')) yield* comparesOf(bench);
  if (isWanted('reads')) yield* readsOf(bench);
  if (isWanted('streams')) yield streams(bench);
  if (isWanted('memory')) yield memory(bench);
}

async function main(words: readonly string[]): Promise<void> {
  const unknown = words.filter((word) => !PARTS.includes(word));
  if (unknown.length > 0) throw new Error(`No such part: ${unknown.join(', ')}. The parts are ${PARTS.join(', ')}.`);
  say(`Service against yardstick: ${SETTINGS.rounds} rounds of ${SETTINGS.seconds} s each, ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`);
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAll().then(() => process.exit(1)));
main(process.argv.slice(2)).then(() => process.exit(0), (error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
});
