import { onStopSignals } from './graceful-shutdown';

/** Sends those signals to this process, each so many milliseconds after the one before, and gives what was called. */
function calls(...signals: [name: 'SIGTERM' | 'SIGINT', afterMs: number][]): string[] {
  const made: string[] = [];
  let now = 0;
  const forget = onStopSignals({ monotonicMs: () => now }, () => made.push('stop'), () => made.push('hurry'));
  for (const [name, afterMs] of signals) {
    now += afterMs;
    process.emit(name, name);
  }
  forget();
  return made;
}

describe('the signals that end the service', () => {
  it('stop it at the first and hurry it at the next', () => {
    expect(calls(['SIGTERM', 0])).toEqual(['stop']);
    expect(calls(['SIGTERM', 0], ['SIGTERM', 1])).toEqual(['stop', 'hurry']);
    expect(calls(['SIGINT', 0], ['SIGTERM', 1])).toEqual(['stop', 'hurry']);
    expect(calls(['SIGTERM', 0], ['SIGINT', 1000])).toEqual(['stop', 'hurry']);
  });

  it('are one Ctrl-C when two come at once, from the terminal and from npm', () => {
    expect(calls(['SIGINT', 0], ['SIGINT', 1])).toEqual(['stop']);
    expect(calls(['SIGINT', 0], ['SIGINT', 1], ['SIGINT', 1000])).toEqual(['stop', 'hurry']);
  });
});
