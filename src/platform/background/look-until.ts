import { setTimeout as delay } from 'node:timers/promises';

/** The interval between two looks, in milliseconds: another process may do the work. */
const MIN_WAIT_MS = 50;
const MAX_WAIT_MS = 500;

/** When to stop looking, beside an answer that is enough. */
interface LookOptions {
  seconds: number;
  /** False once the caller is gone. */
  isWaiting: () => boolean;
  /** Resolves when it is worth looking before the interval is over; undefined if that is not known. */
  soon?: () => Promise<unknown> | undefined;
}

/**
 * Looks again and again, more and more seldom, until the answer is enough, the time is over or the caller is gone.
 * Returns the latest answer.
 */
export async function lookUntil<T>(
  first: T,
  look: () => Promise<T>,
  isEnough: (latest: T) => boolean,
  { seconds, isWaiting, soon }: LookOptions,
): Promise<T> {
  let latest = first;
  if (seconds === 0) return latest;
  const timeout = AbortSignal.timeout(seconds * 1000);
  for (
    let waitMs = MIN_WAIT_MS;
    !isEnough(latest) && isWaiting() && !timeout.aborted;
    waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
  ) {
    const pause = delay(waitMs, undefined, { signal: timeout }).catch(() => undefined);
    await Promise.race([soon?.() ?? pause, pause]);
    latest = await look();
  }
  return latest;
}
