import type { Clock } from '../common/clock';
import type { Steps } from '../statistics/steps';
import { ComputationsService } from './computations.service';

/** A clock on which every look takes a millisecond. */
function slowClock(): Clock {
  let ms = 0;
  return { monotonicMs: () => (ms += 1) } as Clock;
}

/** A number of steps, each of which is recorded. */
function* stepsOf(name: string, count: number, note: (name: string) => void): Steps<string> {
  for (let step = 0; step < count; step++) {
    note(name);
    yield;
  }
  return name;
}

/** Lets everything run that is ready, without waiting for a time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('Long computations', () => {
  test('are taken in slices of 4 ms, in turns with each other and with everything else', async () => {
    const service = new ComputationsService(slowClock());
    const notes: string[] = [];
    const note = (name: string) => void notes.push(name);
    let isDone = false;
    const others = (async () => {
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve));
        note('-');
      }
    })();
    const results = await Promise.all([service.compute(stepsOf('a', 8, note)), service.compute(stepsOf('b', 8, note))]);
    isDone = true;
    await others;
    expect(results).toEqual(['a', 'b']);
    expect(notes.join('')).toMatch(/^-*aaaa-+bbbb-+aaaa-+bbbb-+$/);
  });

  test('end with the error of a step', async () => {
    const failing = (function* (): Steps<string> { yield; throw new Error('broken'); })();
    await expect(new ComputationsService(slowClock()).compute(failing)).rejects.toThrow('broken');
  });

  test('hold the texts of four evals at most, and users take turns', async () => {
    const service = new ComputationsService(slowClock());
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (userId: string) => service.inTurn(userId, () => new Promise<void>((resolve) => {
      started.push(userId);
      ends.push(resolve);
    }));
    const asked = [...'aaaaaaabc'].map((userId) => ask(userId));
    await settle();
    expect(started.join('')).toBe('aaaa');
    for (let ended = 0; ended < asked.length; ended++) {
      ends[ended]?.();
      await settle();
    }
    await Promise.all(asked);
    expect(started.join('')).toBe('aaaaabcaa');
  });

  test('leave room for the next when one fails', async () => {
    const service = new ComputationsService(slowClock());
    const fail = () => service.inTurn('a', () => Promise.reject(new Error('broken')));
    for (let count = 0; count < 10; count++) await expect(fail()).rejects.toThrow('broken');
    await expect(service.inTurn('b', () => Promise.resolve('done'))).resolves.toBe('done');
  });

  test('of one user wait up to 20; more are refused, those of others are not', async () => {
    const service = new ComputationsService(slowClock());
    const never = () => new Promise<void>(() => undefined);
    for (let count = 0; count < 24; count++) void service.inTurn('a', never);
    await expect(service.inTurn('a', never)).rejects.toMatchObject({ code: 'rate_limited', message: 'At most 20 requests of one user for statistics, agreement or drift may wait at the same time.', retryAfterSeconds: 1 });
    const other = service.inTurn('b', never);
    await expect(Promise.race([other, settle().then(() => 'waiting')])).resolves.toBe('waiting');
  });
});
