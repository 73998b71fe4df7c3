import { Config } from '../platform/config/config';
import { onStopSignals, primaryShutdownTimeoutMs, shutdownTimeoutMs } from './graceful-shutdown';

/** Sends those signals to this process, each after its delay in milliseconds, and returns the calls. */
function calls(...signals: [name: 'SIGTERM' | 'SIGINT', afterMs: number][]): string[] {
  const made: string[] = [];
  let now = 0;
  const forget = onStopSignals(
    { monotonicMs: () => now },
    () => made.push('stop'),
    () => made.push('hurry'),
  );
  for (const [name, afterMs] of signals) {
    now += afterMs;
    process.emit(name, name);
  }
  forget();
  return made;
}

describe('GracefulShutdown', () => {
  it('stops the service at the first signal and forces it to exit at the next', () => {
    expect(calls(['SIGTERM', 0])).toEqual(['stop']);
    expect(calls(['SIGTERM', 0], ['SIGTERM', 1])).toEqual(['stop', 'hurry']);
    expect(calls(['SIGINT', 0], ['SIGTERM', 1])).toEqual(['stop', 'hurry']);
    expect(calls(['SIGTERM', 0], ['SIGINT', 1000])).toEqual(['stop', 'hurry']);
  });

  it('treats two signals of one Ctrl-C, from the terminal and from npm, as one', () => {
    expect(calls(['SIGINT', 0], ['SIGINT', 1])).toEqual(['stop']);
    expect(calls(['SIGINT', 0], ['SIGINT', 1], ['SIGINT', 1000])).toEqual(['stop', 'hurry']);
  });
});

describe('The shutdown timeout', () => {
  it('is DRAIN_SECONDS plus EVAL_TIMEOUT_MS plus less than 10 s, so that a process ends before its parent kills it', () => {
    for (const [drainSeconds, evalTimeoutMs] of [
      [0, 1000],
      [30, 1000],
      [0, 90_000],
      [30, 90_000],
    ] as const) {
      const config = Config.read({
        DATABASE_URL: 'postgresql://here/db',
        ADMIN_API_KEY: 'x'.repeat(16),
        API_KEY_PEPPER: 'x'.repeat(16),
        DRAIN_SECONDS: `${drainSeconds}`,
        EVAL_TIMEOUT_MS: `${evalTimeoutMs}`,
      });
      const atLeast = drainSeconds * 1000 + evalTimeoutMs;
      expect(shutdownTimeoutMs(config)).toBeGreaterThan(atLeast);
      expect(primaryShutdownTimeoutMs(config)).toBeGreaterThan(shutdownTimeoutMs(config));
      expect(primaryShutdownTimeoutMs(config)).toBeLessThan(atLeast + 10_000);
    }
  });
});
