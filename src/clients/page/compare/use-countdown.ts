import { useEffect, useState } from 'preact/hooks';
import { monotonicMs } from '../clock';

/** Whole seconds until a moment of the clock that never goes back, counting down to 0. */
export function useCountdown(until: number | undefined): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (secondsUntil(until) === 0) return undefined;
    const timer = setInterval(() => {
      setTick((tick) => tick + 1);
      if (secondsUntil(until) === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return secondsUntil(until);
}

function secondsUntil(moment: number | undefined): number {
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - monotonicMs()) / 1000));
}
