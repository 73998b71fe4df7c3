import { rawRequest } from './connection';
import type { LoadJob } from './load';
import { EIGHT_MODELS, isWanted, MODELS, SETTINGS } from './settings';

/** Keys and evals in the database of one of the two servers. */
export interface Past {
  keys: readonly string[];
  evalIds: readonly string[];
}

/** Load as a scenario makes it, without server and end. */
export type Job = Omit<LoadJob, 'port' | 'seconds' | 'count'>;

/** A measurement and its target. */
export interface Scenario {
  name: string;
  kind: 'added-latency' | 'throughput';
  /** Smallest share of the yardstick's requests per second. */
  minShare?: number;
  /** Largest processor time of the service for a request, in ms. */
  maxCpuMs?: number;
  load(past: Past): Job;
  /** Where the yardstick cannot do the same: what it does instead. */
  yardstickLoad?(past: Past): Job;
}

/** Targets of added latency. */
export const ADDED_P50_MS = 8;
export const ADDED_P99_OF_YARDSTICK = 2.5;

const VARIETY = 64;
const VENDOR_MS = 50;
const PARALLEL = 64;

/** How compares are asked for. */
export interface CompareShape {
  models?: readonly string[];
  /** For the vendors; see vendor.ts. */
  directives?: string;
  isStreamed?: boolean;
  maxTokens?: number;
}

/** Compares one after the other with each of the keys. */
export const compares = ({ models = MODELS, directives = '', isStreamed = false, maxTokens = 500 }: CompareShape = {}) => ({ keys }: Pick<Past, 'keys'>) =>
  Array.from({ length: Math.max(VARIETY, keys.length) }, (_, index) => rawRequest('POST', '/api/v1/compare', keys[index % keys.length] ?? '', {
    prompt: `Say {input} in French, please, and say why. Number ${index}. ${directives}`,
    input: 'good morning',
    models,
    options: { temperature: 0.7, max_tokens: maxTokens },
  }, isStreamed ? 'accept: text/event-stream\r\n' : ''));

const reads = (pathOf: (past: Past, index: number) => string) => (past: Past) =>
  Array.from({ length: VARIETY }, (_, index) => rawRequest('GET', pathOf(past, index), past.keys[0] ?? ''));

const addedLatency = (parallel: number): Scenario => ({
  name: `compare, added to a vendor of ${VENDOR_MS} ms, ${parallel} parallel`,
  kind: 'added-latency',
  load: (past) => ({ connections: parallel, requests: compares({ directives: `[[delay=${VENDOR_MS}]]` })(past), takeOffVendor: true }),
});

const comparesOf = (models: readonly string[], targets: Pick<Scenario, 'minShare' | 'maxCpuMs'> = {}): Scenario => ({
  name: `compare of ${models.length} model${models.length === 1 ? '' : 's'}, vendor of 0 ms, ${PARALLEL} parallel`,
  kind: 'throughput',
  ...targets,
  load: (past) => ({ connections: PARALLEL, requests: compares({ models })(past) }),
});

const comparesOverSse: Scenario = {
  name: `compare of ${MODELS.length} models over SSE (yardstick: JSON), vendor of 0 ms, ${PARALLEL} parallel`,
  kind: 'throughput',
  load: (past) => ({ connections: PARALLEL, requests: compares({ isStreamed: true })(past) }),
  yardstickLoad: (past) => ({ connections: PARALLEL, requests: compares()(past) }),
};

const read = (name: string, minShare: number, pathOf: (past: Past, index: number) => string): Scenario => ({
  name: `${name}, ${SETTINGS.readParallel} parallel`,
  kind: 'throughput',
  minShare,
  load: (past) => ({ connections: SETTINGS.readParallel, requests: reads(pathOf)(past) }),
});

const fourModels = comparesOf(MODELS, { minShare: 0.5, maxCpuMs: 1.7 });

const readScenarios = [
  read('GET evals (20)', 0.7, () => '/api/v1/evals'),
  read('GET eval by id', 0.5, ({ evalIds }, index) => `/api/v1/evals/${evalIds[(index * 13) % evalIds.length]}`),
  read('GET models', 0.42, () => '/api/v1/models'),
  read('GET usage', 0.42, () => '/api/v1/usage'),
];

/** The selected scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  addedLatency(1), addedLatency(32), comparesOf(MODELS.slice(0, 1)), fourModels, comparesOf(EIGHT_MODELS), comparesOverSse, ...readScenarios,
].filter(({ name }) => isWanted(name));

/** Requests of all kinds in turn; one of five is a compare. */
export function mixedRequests(past: Past): string[] {
  const lists = [fourModels, ...readScenarios].map((scenario) => scenario.load(past).requests);
  return Array.from({ length: VARIETY }, (_, index) => lists.map((requests) => requests[index] ?? '')).flat();
}
