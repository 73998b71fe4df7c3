import { delay } from './retries';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4000;

/** Options of a wait. */
interface PollOptions {
  signal?: AbortSignal | undefined;
  /** The longest pause between two looks, in milliseconds. */
  maxPauseMs?: number;
}

/** Looks at growing intervals until a look returns a value. Rejects with the reason of the signal. */
export async function poll<T>(
  look: () => Promise<T | undefined>,
  { signal, maxPauseMs = MAX_PAUSE_MS }: PollOptions = {},
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, maxPauseMs)) {
    const value = await look();
    if (value !== undefined) return value;
    await delay(pause, signal);
  }
}
