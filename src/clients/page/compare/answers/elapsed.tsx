import { useEffect, useState } from 'preact/hooks';
import { monotonicMs } from '../../clock';
import { elapsedText } from '../../../client/figure-text';

const TICK_MS = 100;

/**
 * Milliseconds since a moment of the clock that never goes back, ten times a second; undefined, and still, without a
 * moment.
 */
export function useClock(since: number | undefined): number | undefined {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [since]);
  return since === undefined ? undefined : monotonicMs() - since;
}

/** Seconds since a moment of the clock that never goes back, counting up. */
export function Elapsed({ since }: { since: number }) {
  return <span>{elapsedText(useClock(since) ?? 0)}</span>;
}
