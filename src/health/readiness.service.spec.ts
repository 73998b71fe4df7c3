import type { MikroORM } from '@mikro-orm/postgresql';
import { Clock } from '../common/clock';
import { Drain } from '../background/drain';
import { Metrics } from '../observability/metrics';
import type { SqlService } from '../database/sql.service';
import { ReadinessService } from './readiness.service';

describe('ReadinessService', () => {
  test.each([600, -600, 0])('measures a clock that is %d s ahead of the database while the process runs', async (seconds) => {
    const metrics = new Metrics();
    const sql = { queryOne: async (text: string) => (text.includes('clock_timestamp') ? { ms: Date.now() } : { count: 0 }) } as unknown as SqlService;
    const orm = { config: { get: () => ({ path: 'migrations' }) } } as unknown as MikroORM;
    const readiness = new ReadinessService(sql, new Drain(), metrics, new Clock(new Date(Date.now() + seconds * 1000)), orm);
    readiness.onApplicationBootstrap();
    await new Promise((resolve) => { setImmediate(resolve); });
    await new Promise((resolve) => { setTimeout(resolve, 1); });
    await readiness.beforeApplicationShutdown();
    const [, value] = /^mcs_clock_offset_seconds (\S+)$/m.exec(await metrics.registry.metrics()) ?? [];
    expect(Math.round(Number(value))).toBe(seconds);
  });
});
