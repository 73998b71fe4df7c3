import { useEffect, useState } from 'preact/hooks';
import { monotonicMs } from '../clock';
import { elapsedText } from './figures';

const TICK_MS = 100;

/** Seconds since a moment of the clock that never goes back, counting up. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(monotonicMs);
  useEffect(() => {
    const timer = setInterval(() => setNow(monotonicMs()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <span>{elapsedText(now - since)}</span>;
}
