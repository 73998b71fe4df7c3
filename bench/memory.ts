import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, PartResult } from './part';
import { startProbedService, startService, startYardstick, type Load, type ServerProgram } from './processes';
import { rssOf } from './resident';
import { compares, mixedRequests, type Past } from './scenarios';
import { say, SETTINGS } from './settings';
import { atMost, type Verdict } from './verdict';

const IDLE_SECONDS = 5;
const AFTERWARDS_SECONDS = 10;
const MAX_IDLE_MIB = 180;
const MAX_LOADED_MIB = 320;
const MAX_LONG_MIB = 350;
/** How much more than before may be left after long answers. */
const MAX_LEFT = 1.1;
const LONG_TEXTS = 4000;
const LONG_PARALLEL = 8;
const LONG_COMPARES = 128;

const MINUTE_S = 60;
/** How much the heap may grow from the second look to the last. */
const MAX_GROWTH = 1.05;

/** A service that has done nothing else yet: idle, after a great many requests, under long answers and afterwards. */
export async function memory({ load, ground }: Bench): Promise<PartResult> {
  const yardstick = await startYardstick(ground.yardstickUrl, ground.vendorUrl);
  const service = await startService(ground.serviceUrl, ground.vendorUrl);
  try {
    await sleep(IDLE_SECONDS * 1000);
    const [idleMib, yardstickIdleMib] = [service.rssMib(), yardstick.rssMib()];
    await mixed(load, service, ground.service, { count: SETTINGS.memoryRequests });
    const loadedMib = service.rssMib();
    const { before, peak } = await rssOf(service, () => longAnswers(load, service, ground.service));
    await sleep(AFTERWARDS_SECONDS * 1000);
    const afterwardsMib = service.rssMib();
    return {
      name: 'memory (RSS)',
      values: { idleMib, yardstickIdleMib, loadedMib, longPeakMib: peak, afterwardsMib },
      verdicts: [
        atMost('memory idle', idleMib, MAX_IDLE_MIB, 'MiB', 0),
        atMost(`memory after ${SETTINGS.memoryRequests.toLocaleString('en')} requests`, loadedMib, MAX_LOADED_MIB, 'MiB', 0),
        atMost(`memory at the most under ${LONG_PARALLEL} parallel compares of 4 × ${LONG_TEXTS.toLocaleString('en')} tokens`, peak, MAX_LONG_MIB, 'MiB', 0),
        atMost(`memory ${AFTERWARDS_SECONDS} s afterwards over what it was before`, afterwardsMib / before, MAX_LEFT, '×'),
      ],
    };
  } finally {
    await service.stop();
    await yardstick.stop();
  }
}

/** Over SSE and over JSON in turn. */
async function longAnswers(load: Load, { port }: ServerProgram, past: Past): Promise<void> {
  const shape = { directives: `[[texts=${LONG_TEXTS}]]`, maxTokens: LONG_TEXTS + 100 };
  const [json, sse] = [compares(shape)(past), compares({ ...shape, isStreamed: true })(past)];
  refuseFailures(await load.run({ port, connections: LONG_PARALLEL, requests: json.flatMap((request, index) => [request, sse[index] ?? request]), count: LONG_COMPARES }));
}

/** Load for minutes, and after each minute what is left of the heap when all garbage is gone. */
export async function soak({ load, ground }: Bench): Promise<PartResult> {
  const service = await startProbedService(ground.serviceUrl, ground.vendorUrl);
  try {
    const heapsMib: number[] = [];
    for (let left = SETTINGS.soakSeconds; left > 0; left -= MINUTE_S) {
      await mixed(load, service, ground.service, { seconds: Math.min(left, MINUTE_S) });
      const { heap } = await service.ask<{ heap: number }>('heap');
      heapsMib.push(heap / 1024 / 1024);
      say(`  heap after garbage collection: ${(heap / 1024 / 1024).toFixed(1)} MiB, RSS ${service.rssMib().toFixed(0)} MiB`);
    }
    return { name: 'soak', values: Object.fromEntries(heapsMib.map((mib, index) => [`heapMib${index + 1}`, mib])), verdicts: [growthVerdict(heapsMib)] };
  } finally {
    await service.stop();
  }
}

// The first minute fills caches and compiles.
function growthVerdict(heapsMib: readonly number[]): Verdict {
  const growth = (heapsMib.at(-1) ?? 0) / (heapsMib[1] ?? heapsMib[0] ?? 1);
  return atMost(`heap at the end of ${SETTINGS.soakSeconds} s over its second minute`, growth, MAX_GROWTH, '×');
}

async function mixed(load: Load, { port }: ServerProgram, past: Past, until: { seconds?: number; count?: number }): Promise<void> {
  refuseFailures(await load.run({ port, connections: 32, requests: mixedRequests(past), ...until }));
}

function refuseFailures({ failures }: { failures: Record<string, number> }): void {
  if (Object.keys(failures).length > 0) say(`  NOT A MEASUREMENT: the service answered ${JSON.stringify(failures)}`);
}
