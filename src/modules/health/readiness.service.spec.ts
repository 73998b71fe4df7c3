import type { MikroORM } from '@mikro-orm/postgresql';
import { Clock } from '../../common/clock';
import { Drain } from '../../platform/background/drain';
import { Metrics } from '../../platform/observability/metrics';
import { migrationNames } from '../../platform/database/migrate';
import type { SqlService } from '../../platform/database/sql.service';
import { ReadinessService } from './readiness.service';

const ORM = { config: { get: () => ({ path: 'migrations' }) } } as unknown as MikroORM;

describe('ReadinessService', () => {
  test('asks once for probes at the same time, which learn why alike, and again for the next probe', async () => {
    const asked: PromiseWithResolvers<{ count: number }>[] = [];
    const queryOne = () => {
      const answer = Promise.withResolvers<{ count: number }>();
      asked.push(answer);
      return answer.promise;
    };
    const drain = new Drain();
    const readiness = new ReadinessService(
      { queryOne } as unknown as SqlService,
      drain,
      new Metrics(),
      new Clock(),
      ORM,
    );
    const reasonOf = async () => (await readiness.check())?.message;
    const reasons = [reasonOf(), reasonOf()];
    asked[0]?.reject(new Error('no connection'));
    expect(await Promise.all(reasons)).toEqual(['The database is unreachable.', 'The database is unreachable.']);
    const [next, last] = [reasonOf(), reasonOf()];
    asked[1]?.resolve({ count: migrationNames(ORM).length });
    expect([await next, await last]).toEqual([undefined, undefined]);
    drain.begin();
    expect(await reasonOf()).toBe('The service is stopping.');
    expect(asked).toHaveLength(2);
  });

  test.each([600, -600, 0])(
    'measures a clock that is %d s ahead of the database while the process runs',
    async (seconds) => {
      const metrics = new Metrics();
      const sql = {
        queryOne: async (text: string) => (text.includes('clock_timestamp') ? { ms: Date.now() } : { count: 0 }),
      } as unknown as SqlService;
      const readiness = new ReadinessService(
        sql,
        new Drain(),
        metrics,
        new Clock(new Date(Date.now() + seconds * 1000)),
        ORM,
      );
      readiness.onApplicationBootstrap();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
      await readiness.beforeApplicationShutdown();
      const [, value] = /^mcs_clock_offset_seconds (\S+)$/m.exec(await metrics.registry.metrics()) ?? [];
      expect(Math.round(Number(value))).toBe(seconds);
    },
  );
});
