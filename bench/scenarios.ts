import { rawRequest } from './connection';
import type { LoadJob } from './load';
import { MODELS, SETTINGS } from './settings';

/** Keys and evals that stand in the database of one of the two servers. */
export interface Past {
  keys: readonly string[];
  evalIds: readonly string[];
}

/** What is measured, and what the issue wants of it. */
export interface Scenario {
  name: string;
  kind: 'added-latency' | 'throughput';
  /** Smallest share of the yardstick's requests per second. */
  minShare?: number;
  load(past: Past): Omit<LoadJob, 'port'>;
}

/** Targets of added latency. */
export const ADDED_P50_MS = 8;
export const ADDED_P99_OF_YARDSTICK = 2.5;

const VARIETY = 64;
const VENDOR_MS = 50;

/** The compares of the bench, one after the other with each of the keys. */
export const compares = (delayMs: number) => ({ keys }: Past) =>
  Array.from({ length: Math.max(VARIETY, keys.length) }, (_, index) => rawRequest('POST', '/api/v1/compare', keys[index % keys.length] ?? '', {
    prompt: `Say {input} in French, please, and say why. Number ${index}.${delayMs > 0 ? ` [[delay=${delayMs}]]` : ''}`,
    input: 'good morning',
    models: MODELS,
    options: { temperature: 0.7, max_tokens: 500 },
  }));

const reads = (pathOf: (past: Past, index: number) => string) => (past: Past) =>
  Array.from({ length: VARIETY }, (_, index) => rawRequest('GET', pathOf(past, index), past.keys[0] ?? ''));

const addedLatency = (parallel: number): Scenario => ({
  name: `compare, added to a vendor of ${VENDOR_MS} ms, ${parallel} parallel`,
  kind: 'added-latency',
  load: (past) => ({ connections: parallel, requests: compares(VENDOR_MS)(past), takeOffVendor: true }),
});

const read = (name: string, minShare: number, pathOf: (past: Past, index: number) => string): Scenario => ({
  name: `${name}, ${SETTINGS.readParallel} parallel`,
  kind: 'throughput',
  minShare,
  load: (past) => ({ connections: SETTINGS.readParallel, requests: reads(pathOf)(past) }),
});

const compareThroughput: Scenario = {
  name: 'compare, vendor of 0 ms, 64 parallel',
  kind: 'throughput',
  minShare: 0.5,
  load: (past) => ({ connections: 64, requests: compares(0)(past) }),
};

/** All there are. */
export const EVERY_SCENARIO: readonly Scenario[] = [
  addedLatency(1),
  addedLatency(32),
  compareThroughput,
  read('GET evals (20)', 0.7, () => '/api/v1/evals'),
  read('GET eval by id', 0.5, ({ evalIds }, index) => `/api/v1/evals/${evalIds[(index * 13) % evalIds.length]}`),
  read('GET models', 0.42, () => '/api/v1/models'),
  read('GET usage', 0.42, () => '/api/v1/usage'),
];

/** Those that were asked for. */
export const SCENARIOS = EVERY_SCENARIO.filter(({ name }) => name.includes(SETTINGS.only));
