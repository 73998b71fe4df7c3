import type { Profiler } from 'node:inspector';

type Node = Profiler.ProfileNode;

/** A share of the time in which the main thread was busy. */
export interface Share {
  name: string;
  share: number;
}

/** Where a profile's busy time went. */
export interface BusyTime {
  /** Busy time over all time. */
  busyShare: number;
  /** Each function's own time. */
  functions: Share[];
  /** Self time by package or module; time inside Node counts for the package that called it. */
  packages: Share[];
  /** Total time of this project's functions, including all they call until they wait. */
  ours: Share[];
}

/** Names what took the most of a profile's busy time. */
export function busiest(profile: Profiler.Profile, most = 25): BusyTime {
  const [functions, packages, ours] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  let [all, busy] = [0, 0];
  for (const { chain, micros } of samplesOf(profile)) {
    const [node] = chain;
    all += micros;
    if (node.callFrame.functionName === '(idle)') continue;
    busy += micros;
    add(functions, functionName(node), micros);
    add(packages, chain.map(packageName).find((name) => name !== undefined) ?? nativeName(node), micros);
    for (const name of new Set(chain.filter(isOurs).map(functionName))) add(ours, name, micros);
  }
  const top = (sums: Map<string, number>) => [...sums].sort(([, left], [, right]) => right - left).slice(0, most).map(([name, micros]) => ({ name, share: micros / busy }));
  return { busyShare: busy / all, functions: top(functions), packages: top(packages), ours: top(ours) };
}

/** The call stack at each sample, innermost first, with its duration; without the profiler itself. */
function* samplesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Generator<{ chain: [Node, ...Node[]]; micros: number }> {
  const parents = new Map(nodes.flatMap((parent) => (parent.children ?? []).map((child) => [child, parent] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id);
    if (node === undefined || node.callFrame.functionName === 'post') continue;
    const chain: [Node, ...Node[]] = [node];
    for (let above = parents.get(id); above !== undefined; above = parents.get(above.id)) chain.push(above);
    yield { chain, micros: Math.max(0, timeDeltas[index] ?? 0) };
  }
}

function add(sums: Map<string, number>, name: string, micros: number): void {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

function functionName({ callFrame: { functionName: name, url, lineNumber } }: Node): string {
  return `${name === '' ? '(anonymous)' : name}${url === '' ? '' : ` ${url.replace(/^.*node_modules\//, '').replace(/^.*\/dist\/src\//, 'src/')}:${lineNumber + 1}`}`;
}

function isOurs({ callFrame: { url } }: Node): boolean {
  return url.includes('/dist/src/');
}

function packageName(node: Node): string | undefined {
  const { url } = node.callFrame;
  if (isOurs(node)) return /dist\/(src\/[a-z]+)/.exec(url)?.[1];
  if (url.includes('deps/undici')) return 'fetch (undici)';
  return /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
}

function nativeName({ callFrame: { functionName: name, url } }: Node): string {
  if (name.startsWith('(')) return name;
  return url === '' ? 'Node, nobody above' : url.split('/').slice(0, 2).join('/').replace(/^node:/, 'Node: ');
}
