import { Logger } from '@nestjs/common';
import type { Clock } from '../common/clock';
import type { Config } from '../config/config';
import type { Check } from './check';
import { CheckThreadService } from './check-thread.service';
import type { ThreadTask } from './threaded-checks';

/** The thread's behavior for a task: the milliseconds until its answer, or a failure. */
type Script = (task: ThreadTask, signal: AbortSignal) => Promise<unknown>;

const fake = { script: (() => Promise.resolve({})) as Script, threads: [] as unknown[], options: {} as Record<string, unknown>, asked: [] as ThreadTask[] };

jest.mock('piscina', () => ({
  Piscina: class {
    constructor(options: Record<string, unknown>) { fake.options = options; }
    get threads() { return fake.threads; }
    on() { return this; }
    async run(task: ThreadTask, { signal }: { signal: AbortSignal }) {
      fake.asked.push(task);
      const answer = await fake.script(task, signal);
      fake.threads = [1];
      return answer;
    }
    async destroy() { fake.threads = []; }
  },
}));

const PATTERN: Check = { name: 'x', weight: 1, not: false, type: 'regex', pattern: 'a', flags: '' };
const decide = (text: string): ThreadTask => ({ kind: 'decide', check: PATTERN, text });
const asked = () => fake.asked.flatMap((task) => (task.kind === 'decide' ? [task.text] : []));
const many = (count: number): ThreadTask[] => new Array<ThreadTask>(count).fill(decide('x'));
const BUSY = { undecided: 'Too many checks were waiting.', isBusy: true };
const outOfMemory = () => Promise.reject(Object.assign(new Error('Worker terminated'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
const never = () => new Promise<never>(() => undefined);

describe('The thread of the checks', () => {
  let nowMs = 0;
  let service: CheckThreadService;
  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(fake, { script: () => Promise.resolve({}), threads: [], options: {}, asked: [] });
    nowMs = 0;
    service = new CheckThreadService({ CHECK_TIMEOUT_MS: 500 } as Config, { monotonicMs: () => nowMs } as Clock);
  });
  afterEach(() => jest.useRealTimers());

  /** Answers with its question, after `ms` milliseconds. */
  function takes(ms: (task: ThreadTask) => number): void {
    fake.script = (task) => {
      nowMs += ms(task);
      return Promise.resolve(task.kind === 'decide' ? { isMet: true, observed: task.text } : {});
    };
  }

  /** Never answers, and ends on request. */
  function hangs(): void {
    fake.script = (task, signal) => (task.kind === 'start' ? Promise.resolve({}) : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))));
  }

  it('is at most one, without anything of the process, of 64 MiB, and ends after 30 s without work', async () => {
    await service.run('a', many(1));
    expect(fake.options).toMatchObject({ minThreads: 0, maxThreads: 1, idleTimeout: 30_000, env: {}, argv: [], execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 } });
  });

  it('is not started for nothing', async () => {
    expect([await service.run('a', []), fake.asked, service.threadCount]).toEqual([[], [], 0]);
  });

  it('answers in the order of the tasks', async () => {
    takes(() => 1);
    expect(await service.run('a', [decide('1'), decide('2'), decide('3')])).toEqual(['1', '2', '3'].map((observed) => ({ isMet: true, observed })));
  });

  it('has 500 ms for a check and four times as long to compile one', async () => {
    hangs();
    const [check, compiled] = [service.run('a', [decide('1')]), service.run('b', [{ kind: 'try', check: PATTERN }])];
    await jest.advanceTimersByTimeAsync(500);
    expect(await check).toEqual([{ undecided: 'It took longer than 500 ms.' }]);
    await jest.advanceTimersByTimeAsync(2000);
    expect(await compiled).toEqual([{ undecided: 'It took longer than 2000 ms.' }]);
    expect(fake.asked.map(({ kind }) => kind)).toEqual(['start', 'decide', 'try']);
  });

  it('looks at no more of a request once its checks have taken four times as long as one may, and then at those of others', async () => {
    takes((task) => (task.kind === 'decide' && task.text === 'slow' ? 500 : 0));
    const [slow, other] = await Promise.all([service.run('a', new Array<ThreadTask>(8).fill(decide('slow'))), service.run('b', [decide('quick')])]);
    expect(slow.map((answer) => ('undecided' in answer ? answer.undecided : answer))).toEqual([
      ...new Array<unknown>(5).fill({ isMet: true, observed: 'slow' }), ...new Array<unknown>(3).fill('It was not looked at, because the checks before it took too long.'),
    ]);
    expect([other, asked().indexOf('quick')]).toEqual([[{ isMet: true, observed: 'quick' }], 1]);
  });

  it('does not count the time of its start, which a busy machine makes long, against anybody', async () => {
    takes(({ kind }) => (kind === 'start' ? 5000 : 1));
    expect(await service.run('a', [decide('1'), decide('2')])).toEqual([{ isMet: true, observed: '1' }, { isMet: true, observed: '2' }]);
  });

  it('answers busy to a task that has waited ten times the limit of a check', async () => {
    hangs();
    const waiting = [service.run('a', new Array<ThreadTask>(20).fill(decide('1'))), ...[...'bcdefghijkl'].map((user) => service.run(user, [decide(user), decide(user)]))];
    await jest.advanceTimersByTimeAsync(5000);
    const last = (await Promise.all(waiting)).at(-1);
    expect(last).toEqual([BUSY, BUSY]);
    // Nor is it looked at any more.
    await jest.advanceTimersByTimeAsync(20_000);
    expect(asked()).not.toContain('l');
  });

  it('takes 20,000 waiting tasks, answers busy to every further one, and refuses no user because of the tasks of another', async () => {
    let release = (): void => undefined;
    fake.script = () => new Promise((resolve) => { release = () => resolve({ isMet: true, observed: '' }); });
    const full = service.run('a', many(20_001));
    expect(new Set(await full)).toEqual(new Set([BUSY]));
    void service.run('a', many(20_000));
    expect(await service.run('a', many(2))).toEqual([BUSY, BUSY]);
    const other = service.run('b', many(4000));
    expect(await service.run('b', many(1))).toEqual([BUSY]);
    expect((await service.run('c', many(4001))).every((answer) => 'isBusy' in answer)).toBe(true);
    release();
    takes(() => 0);
    expect(new Set((await other).map((answer) => 'isMet' in answer))).toEqual(new Set([true]));
  });

  it('tries once more in a fresh thread what fails for want of memory, which an earlier task may have used', async () => {
    let failures = 0;
    fake.script = (task) => (task.kind !== 'start' && (failures += 1) === 1 ? outOfMemory() : Promise.resolve({ isMet: true, observed: '' }));
    expect(await service.run('a', many(1))).toEqual([{ isMet: true, observed: '' }]);
    fake.script = (task) => (task.kind === 'start' ? Promise.resolve({}) : outOfMemory());
    fake.asked = [];
    expect(await service.run('a', many(1))).toEqual([{ undecided: 'It took more memory than a check may take.' }]);
    expect(asked()).toHaveLength(2);
  });

  it('logs any other failure, says that nothing could be decided, and goes on', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    fake.script = () => Promise.reject(new Error('broken'));
    expect(await service.run('a', many(1))).toEqual([{ undecided: 'It could not be decided.' }]);
    expect(log).toHaveBeenCalledWith({ err: new Error('broken') }, 'a check could not be decided');
    takes(() => 0);
    expect(await service.run('a', many(1))).toEqual([{ isMet: true, observed: 'x' }]);
    log.mockRestore();
  });

  it('ends with the process: running and waiting tasks are rejected', async () => {
    let stop = (): void => undefined;
    fake.script = (task) => (task.kind === 'start' ? Promise.resolve({}) : new Promise((_, reject) => { stop = () => reject(new Error('terminated')); }));
    const running = service.run('a', many(2));
    await jest.advanceTimersByTimeAsync(0);
    await service.onApplicationShutdown();
    stop();
    const stopping = { undecided: 'The service is stopping.', isBusy: true };
    expect([await running, service.threadCount]).toEqual([[stopping, stopping], 0]);
    fake.script = never;
    expect(await service.run('b', many(1))).toEqual([stopping]);
  });
});
