import type { Load, ServerProgram } from './processes';
import { EVERY_SCENARIO, type Past } from './scenarios';
import { say, SETTINGS } from './settings';
import type { Verdict } from './verdict';

const MAX_IDLE_MIB = 180;
const MAX_LOADED_MIB = 320;
const MINUTE_S = 60;
/** How much the heap may grow from the second look to the last. */
const MAX_GROWTH = 1.05;

/** Memory before any load. */
export function idleVerdict(rssMib: number): Verdict {
  return { what: 'memory (RSS) idle', value: `${rssMib.toFixed(0)} MiB`, target: `≤ ${MAX_IDLE_MIB} MiB`, isMet: rssMib <= MAX_IDLE_MIB };
}

/** Memory after a great many requests of all kinds. */
export async function manyRequests(load: Load, server: ServerProgram, past: Past): Promise<Verdict> {
  await mixed(load, server, past, { count: SETTINGS.soakRequests });
  const rss = server.rssMib();
  return { what: `memory (RSS) after ${SETTINGS.soakRequests.toLocaleString('en')} requests`, value: `${rss.toFixed(0)} MiB`, target: `≤ ${MAX_LOADED_MIB} MiB`, isMet: rss <= MAX_LOADED_MIB };
}

/** Load for minutes, and after each minute what is left of the heap when all garbage is gone. */
export async function soak(load: Load, service: ServerProgram, past: Past): Promise<{ verdict: Verdict; heapsMib: number[] }> {
  const heapsMib: number[] = [];
  for (let left = SETTINGS.soakSeconds; left > 0; left -= MINUTE_S) {
    await mixed(load, service, past, { seconds: Math.min(left, MINUTE_S) });
    const { heap } = await service.ask<{ heap: number }>('heap');
    heapsMib.push(heap / 1024 / 1024);
    say(`  heap after garbage collection: ${(heap / 1024 / 1024).toFixed(1)} MiB, RSS ${service.rssMib().toFixed(0)} MiB`);
  }
  // The first minute fills caches and compiles.
  const growth = (heapsMib.at(-1) ?? 0) / (heapsMib[1] ?? heapsMib[0] ?? 1);
  const verdict = { what: `heap at the end of ${SETTINGS.soakSeconds} s over its second minute`, value: `${growth.toFixed(2)} ×`, target: `≤ ${MAX_GROWTH} ×`, isMet: growth <= MAX_GROWTH };
  return { verdict, heapsMib };
}

/** All scenarios at once: of eight requests one is a compare, as the load of a real day is mostly reading. */
async function mixed(load: Load, { port }: ServerProgram, past: Past, until: { seconds?: number; count?: number }): Promise<void> {
  const lists = EVERY_SCENARIO.filter(({ kind }) => kind === 'throughput').map((scenario) => scenario.load(past).requests);
  const requests = Array.from({ length: 64 * lists.length }, (_, index) => lists[index % lists.length]?.[Math.floor(index / lists.length)] ?? '').filter((text) => text !== '');
  const { failures } = await load.run({ port, connections: 32, requests, ...until });
  if (Object.keys(failures).length > 0) say(`  NOT A MEASUREMENT: the service answered ${JSON.stringify(failures)}`);
}
