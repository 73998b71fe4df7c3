import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Logger } from '@nestjs/common';
import type { Config } from '../../platform/config/config';
import { OverloadService } from './overload.service';

/** Stands for Node's histogram of delays; the values of a window are milliseconds beyond the pause of 20 ms. */
class FakeDelays {
  values: number[] = [];
  readonly enable = jest.fn();
  readonly disable = jest.fn();

  get count(): number {
    return this.values.length;
  }

  percentile(percent: number): number {
    const sorted = this.values.toSorted((left, right) => left - right);
    // The value of the real one without measurements.
    return sorted.length === 0 ? 511 : ((sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0) + 20) * 1e6;
  }

  reset(): void {
    this.values = [];
  }
}

jest.mock('node:perf_hooks', () => ({ monitorEventLoopDelay: jest.fn() }));

const delays = new FakeDelays();
const services: OverloadService[] = [];

/** A service that refuses above 100 ms, given the delays of each second; returns its refusals. */
function createService(limitMs = 100) {
  jest
    .mocked(monitorEventLoopDelay)
    .mockReset()
    .mockReturnValue(delays as never);
  const service = new OverloadService({ MAX_EVENT_LOOP_DELAY_MS: limitMs } as Config);
  services.push(service);
  service.onApplicationBootstrap();
  const refuses = () => {
    try {
      service.refuseWhileOverloaded();
      return false;
    } catch (error) {
      expect(error).toMatchObject({
        code: 'overloaded',
        status: 503,
        retryAfterSeconds: 2,
        message: expect.stringContaining('Retry-After'),
      });
      return true;
    }
  };
  const afterSeconds = (...seconds: number[][]) =>
    seconds.map((values) => {
      delays.values.push(...values);
      jest.advanceTimersByTime(1000);
      return refuses();
    });
  return { service, refuses, afterSeconds };
}

const SLOW = [150, 150, 150];
const FAST = [0, 1, 0];

describe('OverloadService', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    delays.reset();
  });
  afterEach(() => {
    for (const service of services.splice(0)) service.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('refuses from the second slow second in a row until the first that is not', () => {
    const { refuses, afterSeconds } = createService();
    expect(refuses()).toBe(false);
    expect(afterSeconds(SLOW, SLOW, SLOW, FAST, SLOW, FAST, SLOW, SLOW)).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('accepts up to the limit itself', () => {
    expect(createService().afterSeconds([100], [100], [100], [101], [101])).toEqual([false, false, false, false, true]);
  });

  it('overlooks a pause, however long, with and without other delays beside it', () => {
    expect(createService().afterSeconds([...FAST, 60_000], [...FAST, 60_000], [60_000], FAST)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('judges nothing by no delay at all, and waits for the next', () => {
    expect(createService().afterSeconds([], [], SLOW, [], SLOW, [], [], FAST)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('measures nothing when the limit is 0', () => {
    const { afterSeconds } = createService(0);
    expect([afterSeconds(SLOW, SLOW), jest.mocked(monitorEventLoopDelay).mock.calls, jest.getTimerCount()]).toEqual([
      [false, false],
      [],
      0,
    ]);
  });
});
