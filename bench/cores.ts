import { RedisServer } from '../test/support/redis-server';
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

/** Compares before the first measurement, for each process. */
const WARM_UP_COMPARES = 1000;

/** The same compares by one process and by two workers, with all that the workers' primary process does for them; both have done nothing else. */
export async function cores({ meter, ground }: Bench): Promise<PartResult> {
  const single = await startService(ground.serviceUrl, ground.vendorUrl);
  const redis = await RedisServer.onFreePort();
  await redis.start();
  const cluster = await startService(ground.serviceUrl, ground.vendorUrl, { variables: { WEB_CONCURRENCY: String(WORKERS), REDIS_URL: redis.url } });
  try {
    const job = { connections: PARALLEL, requests: compares({ directives: `[[delay=${VENDOR_MS}]]` })(ground.service) };
    await meter.measure({ server: single, job }, { count: WARM_UP_COMPARES });
    await meter.measure({ server: cluster, job }, { count: WORKERS * WARM_UP_COMPARES });
    const rounds = await meter.takeTurns({ 'one process': { server: single, job }, 'two workers': { server: cluster, job } });
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
    await single.stop();
    await cluster.stop();
    await redis.remove();
  }
}
