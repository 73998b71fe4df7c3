import { onDatabase } from '../test/support/database';
import { makeCallers, type BenchCaller } from './callers';
import { Connection, rawRequest } from './connection';
import { seededId, seedEvals, settle, type Databases, type SeededUser } from './databases';
import type { Verdict } from './duel';
import { Load, machine, startService, startVendor, type ServerProgram } from './processes';
import { printVerdicts, writeResult } from './report';
import { runOn } from './run';
import { MODELS, say, SETTINGS } from './settings';
import { median, type Spread } from './statistics';

const MAX_RATIO = 1.3;
const VARIETY = 256;
const FAR = 0.9;

/** A read whose time must not grow with the user's past. */
interface Read {
  name: string;
  /** Whether the target holds for it; a far offset has to walk there. */
  isBound: boolean;
  pathOf(user: SeededUser, size: number, index: number): string;
}

const READS: readonly Read[] = [
  { name: 'first page', isBound: true, pathOf: () => '/api/v1/evals' },
  { name: 'page by cursor', isBound: true, pathOf: (user, size, index) => `/api/v1/evals?cursor=${seededId(user, spread(size, index))}` },
  { name: 'eval by id', isBound: true, pathOf: (user, size, index) => `/api/v1/evals/${seededId(user, spread(size, index))}` },
  { name: 'usage', isBound: true, pathOf: () => '/api/v1/usage' },
  { name: 'breakdown by model', isBound: true, pathOf: () => '/api/v1/usage/breakdown?by=model' },
  { name: 'breakdown by day', isBound: true, pathOf: () => '/api/v1/usage/breakdown?by=day' },
  { name: `offset ${FAR * 100} % in`, isBound: false, pathOf: (_, size) => `/api/v1/evals?offset=${Math.floor(size * FAR)}` },
];

/** Numbers from everywhere between the first and the last eval, in no order a cache would like. */
function spread(size: number, index: number): number {
  return 1 + ((index * 7919) % VARIETY) * Math.max(1, Math.floor(size / VARIETY)) % size;
}

interface SizeResult {
  size: number;
  latencies: Record<string, Spread>;
}

function requestsOf(read: Read, user: SeededUser & BenchCaller, size: number): string[] {
  return Array.from({ length: VARIETY }, (_, index) => rawRequest('GET', read.pathOf(user, size, index), user.key));
}

/** Until everything is compiled: a cold start in the first size would flatter the others. */
async function warmUp(load: Load, { port }: ServerProgram, user: SeededUser & BenchCaller, size: number): Promise<void> {
  await load.run({ port, connections: 4, seconds: 2 * SETTINGS.warmUpSeconds, requests: READS.flatMap((read) => requestsOf(read, user, size)) });
}

async function measure(load: Load, service: ServerProgram, user: SeededUser & BenchCaller, size: number): Promise<SizeResult> {
  const latencies: Record<string, Spread> = {};
  for (const read of READS) {
    const job = { port: service.port, connections: 1, requests: requestsOf(read, user, size) };
    await load.run({ ...job, seconds: Math.min(1, SETTINGS.warmUpSeconds) });
    const rounds: Spread[] = [];
    for (let round = 0; round < SETTINGS.rounds; round += 1) {
      const { latency, failures } = await load.run({ ...job, seconds: SETTINGS.seconds });
      if (Object.keys(failures).length > 0) throw new Error(`${read.name} answered ${JSON.stringify(failures)}`);
      rounds.push(latency);
    }
    latencies[read.name] = { p50: median(rounds.map(({ p50 }) => p50)), p95: median(rounds.map(({ p95 }) => p95)), p99: median(rounds.map(({ p99 }) => p99)), max: Math.max(...rounds.map(({ max }) => max)) };
  }
  return { size, latencies };
}

function verdictsOf(results: readonly SizeResult[]): Verdict[] {
  const [smallest, largest] = [results[0], results.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  return READS.map(({ name, isBound }) => {
    const ratio = (largest.latencies[name]?.p50 ?? Number.NaN) / (smallest.latencies[name]?.p50 ?? Number.NaN);
    return {
      what: `${name}, ${largest.size.toLocaleString('en')} evals over ${smallest.size.toLocaleString('en')}`,
      value: `${ratio.toFixed(2)} ×`, target: isBound ? `≤ ${MAX_RATIO} ×` : 'none, stated only', isMet: !isBound || ratio <= MAX_RATIO,
    };
  });
}

function printSize({ size, latencies }: SizeResult): void {
  say();
  say(`${size.toLocaleString('en')} evals of one user`);
  for (const [name, { p50, p95, p99 }] of Object.entries(latencies)) {
    say(`  ${name.padEnd(20)} p50 ${p50.toFixed(2).padStart(8)} ms   p95 ${p95.toFixed(2).padStart(8)} ms   p99 ${p99.toFixed(2).padStart(8)} ms`);
  }
}

async function growth(databases: Databases): Promise<void> {
  const databaseUrl = await databases.fresh('mcs_bench_growth');
  const { url: vendorUrl } = await startVendor();
  const service = await startService(databaseUrl, vendorUrl, { migrate: true });
  const [caller] = await makeCallers(service.port, 1);
  if (caller === undefined) throw new Error('No caller.');
  const user = { ...caller, month: new Date().toISOString().slice(0, 7), models: MODELS };
  const load = new Load();
  const results: SizeResult[] = [];
  let seeded = 0;
  for (const size of [...SETTINGS.growthSizes].sort((left, right) => left - right)) {
    const begun = performance.now();
    // In parts, so that no single transaction fills the disk with sorting and WAL.
    await onDatabase(databaseUrl, async (client) => {
      for (; seeded < size; seeded = Math.min(size, seeded + 100_000)) await seedEvals(client, user, seeded + 1, Math.min(size, seeded + 100_000));
      await settle(client);
    });
    say(`Seeded ${size.toLocaleString('en')} evals in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    await isRight(service, user, size);
    if (results.length === 0) await warmUp(load, service, user, size);
    const result = await measure(load, service, user, size);
    results.push(result);
    printSize(result);
  }
  const verdicts = verdictsOf(results);
  say();
  printVerdicts(verdicts);
  writeResult('growth.json', { at: new Date().toISOString(), machine: machine(), results, verdicts });
}

/** A seed that the service reads otherwise would measure nothing. */
async function isRight({ port }: ServerProgram, { key }: BenchCaller, size: number): Promise<void> {
  const connection = await Connection.open(port);
  const { body } = await connection.send(Buffer.from(rawRequest('GET', '/api/v1/usage', key)));
  connection.close();
  const { eval_count: count } = JSON.parse(body.toString()) as { eval_count?: number };
  if (count !== size) throw new Error(`${size} evals were seeded, the service counts ${count}.`);
}

runOn(growth);
