import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ThreadPoolService } from './thread-pool.service';

const FILE = join(__dirname, '../../../test/support/pool-task.worker.cjs');
const FOREVER = { spinMs: 60_000 };

describe('ThreadPoolService', () => {
  let pool: ThreadPoolService;
  beforeEach(() => {
    pool = new ThreadPoolService(new Clock());
  });
  afterEach(() => pool.onApplicationShutdown());

  const run = (share: string, input: object, more: object = {}) =>
    pool.run<number>(share, { file: FILE, input, warmUp: undefined, timeoutMs: 30_000, ...more });

  it('starts no thread before the first task, and uses one for tasks that follow each other', async () => {
    expect(await pool.threadCount()).toBe(0);
    const [first, second] = [await run('a', {}), await run('b', {})];
    expect([second, await pool.threadCount()]).toEqual([first, 1]);
  });

  it('does a task of another user beside a long one, in a separate thread', async () => {
    const long = run('a', FOREVER);
    const waiting = run('a', {});
    const stopped = Promise.allSettled([long, waiting]);
    expect(await run('b', {})).toBeGreaterThan(0);
    expect(await pool.threadCount()).toBe(2);
    await pool.onApplicationShutdown();
    expect((await stopped).map((outcome) => outcome.status === 'rejected' && outcome.reason)).toMatchObject([
      { reason: 'stopping' },
      { reason: 'stopping' },
    ]);
    await expect(run('c', {})).rejects.toMatchObject({ reason: 'stopping' });
  });

  it('ends a task at its deadline together with its thread, measures it, and goes on in another', async () => {
    const before = await run('a', {});
    const meter = { usedMs: 0 };
    await expect(run('a', FOREVER, { timeoutMs: 50, meter })).rejects.toMatchObject({ reason: 'timeout' });
    expect(meter.usedMs).toBeGreaterThanOrEqual(49);
    expect(await run('a', {})).toBeGreaterThan(before);
  });

  it('counts the first load of a file for no deadline', async () => {
    await expect(run('a', {}, { warmUp: { spinMs: 300 }, timeoutMs: 200 })).resolves.toBeGreaterThan(0);
  });

  it('tries a task once more in a new thread when memory ends, which an earlier one may have used', async () => {
    const before = await run('a', { megabytes: 100 });
    expect(await run('a', { megabytes: 100 })).toBeGreaterThan(before);
    await expect(run('a', { megabytes: 1000 })).rejects.toMatchObject({ reason: 'memory' });
  });

  it('logs any other failure, and keeps the thread', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const before = await run('a', {});
    await expect(run('a', { fails: true })).rejects.toMatchObject({ reason: 'failed', cause: { message: 'broken' } });
    expect(log).toHaveBeenCalledTimes(1);
    expect(await run('a', {})).toBe(before);
    log.mockRestore();
  });

  it('refuses a task whose turn does not come in time', async () => {
    const long = run('a', { spinMs: 200 });
    await expect(run('a', {}, { maxWaitMs: 10 })).rejects.toMatchObject({ reason: 'busy' });
    await long;
  });
});
