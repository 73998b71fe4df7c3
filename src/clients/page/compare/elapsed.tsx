import { elapsedText } from './figures';
import { useClock } from './use-clock';

/** Seconds since a moment of the clock that never goes back, counting up. */
export function Elapsed({ since }: { since: number }) {
  return <span>{elapsedText(useClock(since) ?? 0)}</span>;
}
