import { figuresOf, ratioOf, type Measurement } from './measure';
import type { Bench, PartResult } from './part';
import { startService } from './processes';
import { compares } from './scenarios';
import { atMost } from './verdict';

const WORKERS = 2;
const PARALLEL = 32;
const VENDOR_MS = 50;
const MAX_CPU_RATIO = 1.1;
const MAX_PRIMARY_MIB = 70;

/** The same compares by one process and by two workers, with all that the workers' primary process does for them. */
export async function cores({ meter, ground, service: { server, past } }: Bench): Promise<PartResult> {
  const cluster = await startService(ground.serviceUrl, ground.vendorUrl, { variables: { WEB_CONCURRENCY: String(WORKERS) } });
  try {
    const job = { connections: PARALLEL, requests: compares({ directives: `[[delay=${VENDOR_MS}]]` })(past) };
    const rounds = await meter.takeTurns({ 'one process': { server, job }, 'two workers': { server: cluster, job } });
    const ratio = (of: (measurement: Measurement) => number) => ratioOf(rounds['two workers'], rounds['one process'], of);
    const cpu = ratio(({ serverCpuMs }) => serverCpuMs);
    const primaryMib = cluster.family.parentRssMib();
    return {
      name: `compare by ${WORKERS} workers, vendor of ${VENDOR_MS} ms, ${PARALLEL} parallel`,
      figures: { 'one process': figuresOf(rounds['one process']), 'two workers': figuresOf(rounds['two workers']) },
      ratios: { 'requests/s, two workers over one process': ratio(({ perSecond }) => perSecond), 'processor time of the server, the same': cpu },
      values: { primaryMib, wholeMib: cluster.rssMib() },
      verdicts: [
        atMost('processor time a compare, two workers with their primary over one process', cpu.median, MAX_CPU_RATIO, '×'),
        atMost('memory of the primary process', primaryMib, MAX_PRIMARY_MIB, 'MiB', 0),
      ],
    };
  } finally {
    await cluster.stop();
  }
}
