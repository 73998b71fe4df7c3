import { onDatabase } from '../test/support/database';
import { makeCallers, type BenchCaller } from './callers';
import { Connection, rawRequest } from './connection';
import { seededId, seedEvals, settle, type Databases, type SeededUser } from './databases';
import { figuresOf, Meter, type Contestant, type Figures } from './measure';
import { ProcessFamily } from './process-family';
import { Load, machine, startService, startVendor, type ServerProgram } from './processes';
import { printPart, printVerdicts, writeResult } from './report';
import { runOn } from './run';
import { MODELS, say, SETTINGS } from './settings';
import { atMost, type Verdict } from './verdict';

const MAX_RATIO = 1.3;
const MAX_FAR_OFFSET_MS = 300;
const MAX_SEARCH_RATIO = 10;
const VARIETY = 256;
const PAGE = 20;
const PART = 100_000;
/** Half of what a compare of the bench has: no read but an eval by id shows more of them, and a million evals are sooner seeded. */
const SEEDED_MODELS = MODELS.slice(0, 2);

/** Who reads beside whom. The heavy user's evals grow; all of the old user's are older, all of the new user's newer. */
const WHO = ['old', 'heavy', 'new'] as const;
type Who = (typeof WHO)[number];

const OLD_EVALS = 60_000;
const NEW_EVALS = 100;

/** A user with a past. */
interface Reader extends SeededUser, BenchCaller {
  evals: number;
}

type Readers = Record<Who, Reader>;

/** A read whose time depends neither on the user's own past nor on that of others. */
interface Read {
  name: string;
  pathOf(reader: Reader, index: number): string;
}

const READS: readonly Read[] = [
  { name: 'first page', pathOf: () => '/api/v1/evals' },
  { name: 'page by cursor', pathOf: (reader, index) => `/api/v1/evals?cursor=${seededId(reader, spread(reader.evals, index))}` },
  { name: 'eval by id', pathOf: (reader, index) => `/api/v1/evals/${seededId(reader, spread(reader.evals, index))}` },
  { name: 'usage', pathOf: () => '/api/v1/usage' },
  { name: 'breakdown by model', pathOf: () => '/api/v1/usage/breakdown?by=model' },
  { name: 'breakdown by day', pathOf: () => '/api/v1/usage/breakdown?by=day' },
];

/** The last page, to which all others have to be counted. */
const FAR_OFFSET: Read = { name: 'last page by offset', pathOf: ({ evals }) => `/api/v1/evals?offset=${Math.max(0, evals - PAGE)}` };

/** A search that finds nothing, which looks at as many evals as a request may. */
const SEARCH: Read = { name: 'search in vain', pathOf: () => '/api/v1/evals?q=nobody+has+written+this' };

/** Numbers from everywhere between the oldest eval with a page before it and the newest, in no order a cache would like. */
function spread(evals: number, index: number): number {
  const last = evals - PAGE;
  return PAGE + 1 + (((index * 7919) % VARIETY) * Math.max(1, Math.floor(last / VARIETY))) % last;
}

function contestantOf(server: ServerProgram, read: Read, reader: Reader): Contestant {
  return { server, job: { connections: 1, requests: Array.from({ length: VARIETY }, (_, index) => rawRequest('GET', read.pathOf(reader, index), reader.key)) } };
}

/** The time of each read for each user, by the number of evals of the heavy user. */
interface SizeResult {
  size: number;
  reads: Record<string, Record<Who, Figures>>;
  farOffset: Figures;
  search: Figures;
}

async function measure(meter: Meter, server: ServerProgram, readers: Readers): Promise<SizeResult> {
  const reads: SizeResult['reads'] = {};
  for (const read of READS) {
    const rounds = await meter.takeTurns({ old: contestantOf(server, read, readers.old), heavy: contestantOf(server, read, readers.heavy), new: contestantOf(server, read, readers.new) });
    const figures = { old: figuresOf(rounds.old), heavy: figuresOf(rounds.heavy), new: figuresOf(rounds.new) };
    reads[read.name] = figures;
    printPart({ name: `${read.name}, ${readers.heavy.evals.toLocaleString('en')} evals of the heavy user`, figures, verdicts: [] });
  }
  const [farOffset, search] = [await measureHeavy(meter, server, FAR_OFFSET, readers), await measureHeavy(meter, server, SEARCH, readers)];
  return { size: readers.heavy.evals, reads, farOffset, search };
}

async function measureHeavy(meter: Meter, server: ServerProgram, read: Read, readers: Readers): Promise<Figures> {
  const { heavy } = await meter.takeTurns({ heavy: contestantOf(server, read, readers.heavy) });
  const figures = figuresOf(heavy);
  printPart({ name: `${read.name}, ${readers.heavy.evals.toLocaleString('en')} evals of the heavy user`, figures: { heavy: figures }, verdicts: [] });
  return figures;
}

/** The measures compared: the caller's time, and the processor time, which other work on the machine disturbs less. */
const MEASURES: Record<string, (figures: Figures) => number> = {
  p50: ({ latency }) => latency.p50,
  'processor time': ({ serverCpuMs, postgresCpuMs }) => serverCpuMs + postgresCpuMs,
};

function verdictsOf(results: readonly SizeResult[]): Verdict[] {
  const [smallest, largest] = [results[0], results.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const verdicts = READS.flatMap(({ name }) => Object.entries(MEASURES).flatMap(([measure, of]) => {
    const valueOf = (result: SizeResult, who: Who) => of(result.reads[name]?.[who] ?? missing(name));
    const values = WHO.map((who) => valueOf(largest, who));
    const sizes = `${largest.size.toLocaleString('en')} evals over ${smallest.size.toLocaleString('en')}`;
    return [
      atMost(`${name}, ${measure}: most of the three users over the least`, Math.max(...values) / Math.min(...values), MAX_RATIO, '×'),
      atMost(`${name}, ${measure}: ${sizes}`, valueOf(largest, 'heavy') / valueOf(smallest, 'heavy'), MAX_RATIO, '×'),
    ];
  }));
  const firstPage = largest.reads['first page']?.heavy ?? missing('first page');
  return [
    ...verdicts,
    atMost(`${FAR_OFFSET.name}, ${largest.size.toLocaleString('en')} evals, p50`, largest.farOffset.latency.p50, MAX_FAR_OFFSET_MS, 'ms', 0),
    atMost(`${SEARCH.name}, ${largest.size.toLocaleString('en')} evals, p50 over that of the first page`, largest.search.latency.p50 / firstPage.latency.p50, MAX_SEARCH_RATIO, '×'),
  ];
}

function missing(name: string): never {
  throw new Error(`${name} was not measured.`);
}

/** Gives a user evals up to that number, in parts, so that no single transaction fills the disk with sorting and WAL. */
async function seedUpTo(databaseUrl: string, reader: Reader, evals: number): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    for (; reader.evals < evals; reader.evals = Math.min(evals, reader.evals + PART)) await seedEvals(client, reader, reader.evals + 1, Math.min(evals, reader.evals + PART));
  });
}

async function growth(databases: Databases): Promise<void> {
  const databaseUrl = await databases.fresh('mcs_bench_growth');
  const { url: vendorUrl } = await startVendor();
  const service = await startService(databaseUrl, vendorUrl, { migrate: true });
  const readers = Object.fromEntries((await makeCallers(service.port, WHO.length)).map((caller, era) => {
    return [WHO[era], { ...caller, era, month: new Date().toISOString().slice(0, 7), models: SEEDED_MODELS, evals: 0 }];
  })) as Readers;
  const meter = new Meter(new Load(), await ProcessFamily.ofPostgres(databaseUrl));
  await seedUpTo(databaseUrl, readers.old, OLD_EVALS);
  await seedUpTo(databaseUrl, readers.new, NEW_EVALS);
  const results: SizeResult[] = [];
  for (const size of [...SETTINGS.growthSizes].sort((left, right) => left - right)) {
    const begun = performance.now();
    await seedUpTo(databaseUrl, readers.heavy, size);
    await onDatabase(databaseUrl, settle);
    say(`Seeded ${size.toLocaleString('en')} evals in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    for (const reader of Object.values(readers)) await isRight(service, reader);
    // Until everything is compiled: a cold start in the first size would flatter the others.
    if (results.length === 0) for (const read of READS) await meter.measure(contestantOf(service, read, readers.heavy), { seconds: SETTINGS.warmUpSeconds });
    results.push(await measure(meter, service, readers));
  }
  const failed = results.flatMap(({ reads, farOffset, search }) => [...Object.values(reads).flatMap((of) => Object.values(of)), farOffset, search]).filter(({ failures }) => Object.keys(failures).length > 0);
  if (failed.length > 0) throw new Error('Some reads were not answered with 200.');
  const verdicts = verdictsOf(results);
  say();
  printVerdicts(verdicts);
  writeResult('growth.json', { at: new Date().toISOString(), machine: machine(), results, verdicts });
}

/** A seed that the service reads otherwise would measure nothing. */
async function isRight({ port }: ServerProgram, { key, evals }: Reader): Promise<void> {
  const connection = await Connection.open(port);
  const { body } = await connection.send(Buffer.from(rawRequest('GET', '/api/v1/usage', key)));
  connection.close();
  const { eval_count: count } = JSON.parse(body.toString()) as { eval_count?: number };
  if (count !== evals) throw new Error(`${evals} evals were seeded, the service counts ${count}.`);
}

runOn(growth);
