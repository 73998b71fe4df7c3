import { useEffect, useState } from 'preact/hooks';
import { monotonicMs } from '../clock';

/** Whole seconds until a moment of the clock that never goes back, counting down to 0. */
export function useCountdown(until: number | undefined): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const left = (): number => (until === undefined ? 0 : Math.max(0, Math.ceil((until - monotonicMs()) / 1000)));
    setSeconds(left());
    if (left() === 0) return undefined;
    const timer = setInterval(() => {
      setSeconds(left());
      if (left() === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}
