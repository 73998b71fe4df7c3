import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './ground';
import type { LoadReport } from './load';
import type { ServerProgram } from './processes';
import type { PartResult } from './report';
import { compares, mixedRequests } from './requests';
import { say, SETTINGS } from './settings';

const SAMPLE_MS = 100;
const IDLE_SECONDS = 5;
const AFTERWARDS_SECONDS = 10;
const LONG = { parallel: 8, texts: 4000, compares: 128 };
const TARGETS = { idleMib: 180, loadedMib: 300, longMib: 350, leftRatio: 1.1 };

/** The resident memory of a new service: idle, after many requests, under long answers and afterwards. */
export async function memory({ load, sides }: Bench): Promise<PartResult> {
  const [yardstick, service] = [await sides.yardstick.start(), await sides.service.start()];
  await sleep(IDLE_SECONDS * 1000);
  const [idle, yardstickIdle] = [service.family.rssMib(), yardstick.family.rssMib()];
  refuseFailures(
    await load.run({
      port: service.port,
      connections: 32,
      requests: mixedRequests(sides.service),
      count: SETTINGS.memoryRequests,
    }),
  );
  const loaded = service.family.rssMib();
  const shape = { directives: `[[texts=${LONG.texts}]]`, maxTokens: LONG.texts };
  const [json, sse] = [compares(sides.service, shape), compares(sides.service, { ...shape, isStreamed: true })];
  const peak = await peakOf(
    service,
    load
      .run({
        port: service.port,
        connections: LONG.parallel,
        requests: json.flatMap((request, index) => [request, sse[index] ?? request]),
        count: LONG.compares,
      })
      .then(refuseFailures),
  );
  await sleep(AFTERWARDS_SECONDS * 1000);
  const afterwards = service.family.rssMib();
  await Promise.all([service.stop(), yardstick.stop()]);
  return {
    name: 'memory (RSS)',
    values: [
      { what: 'idle', value: idle, unit: 'MiB', most: TARGETS.idleMib },
      { what: 'yardstick idle', value: yardstickIdle, unit: 'MiB' },
      {
        what: `after ${SETTINGS.memoryRequests.toLocaleString('en')} requests`,
        value: loaded,
        unit: 'MiB',
        most: TARGETS.loadedMib,
      },
      {
        what: `at the most under ${LONG.parallel} parallel compares of 4 × ${LONG.texts.toLocaleString('en')} tokens`,
        value: peak,
        unit: 'MiB',
        most: TARGETS.longMib,
      },
      {
        what: `${AFTERWARDS_SECONDS} s afterwards, over before`,
        value: afterwards / loaded,
        unit: '×',
        most: TARGETS.leftRatio,
      },
    ],
  };
}

async function peakOf(server: ServerProgram, work: Promise<void>): Promise<number> {
  let [peak, isDone] = [0, false];
  void work.finally(() => {
    isDone = true;
  });
  for (; !isDone; await sleep(SAMPLE_MS)) peak = Math.max(peak, server.family.rssMib());
  await work;
  return peak;
}

function refuseFailures({ failures }: LoadReport): void {
  if (Object.keys(failures).length > 0) say(`  NOT A MEASUREMENT: the service answered ${JSON.stringify(failures)}`);
}
