import { CompareError, ConnectionError } from './errors';

/** Longer waits than this are the caller's decision. */
const MAX_RETRY_AFTER_SECONDS = 60;
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8000;
/** A run ends within the deadline of the service, 90 seconds unless its operator changed it. */
const MAX_WAIT_FOR_RUN_MS = 180_000;

/** Decides, for one call, whether and when it is sent again. */
export class Retries {
  private failures = 0;
  private waitedForRunMs = 0;

  constructor(
    private readonly max: number,
    /**
     * True if a second request could do its work twice. Such a request is repeated only if the first certainly did
     * nothing.
     */
    private readonly isRepeatable: boolean,
  ) {}

  /** Milliseconds until the next try, or undefined when there is none. */
  nextDelay(error: unknown): number | undefined {
    if (!(error instanceof CompareError)) return undefined;
    if (error.code === 'idempotency_key_in_use') return this.delayForRun(error);
    if (this.failures >= this.max || !this.isTemporary(error)) return undefined;
    if (error.retryAfter !== undefined && error.retryAfter > MAX_RETRY_AFTER_SECONDS) return undefined;
    this.failures += 1;
    const backoff = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (this.failures - 1)) * (0.5 + fraction() / 2);
    return error.retryAfter === undefined ? backoff : error.retryAfter * 1000 + backoff / 10;
  }

  /** The same compare runs still, sent by this call before its connection broke: waited for, and not counted. */
  private delayForRun({ retryAfter = 1 }: CompareError): number | undefined {
    if (this.waitedForRunMs >= MAX_WAIT_FOR_RUN_MS) return undefined;
    const delay = Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS) * 1000;
    this.waitedForRunMs += delay;
    return delay;
  }

  private isTemporary(error: CompareError): boolean {
    if (error.status === 429) return true;
    if (!this.isRepeatable) return false;
    // The service has tried each model several times already.
    if (error.code === 'all_models_failed') return false;
    return error instanceof ConnectionError || error.status === 408 || (error.status ?? 0) >= 500;
  }
}

/** Resolves after that time. @throws the reason of the signal */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason of a signal is the caller's choice
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** From 0 to 1, so that clients that failed together do not come back together. */
function fraction(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
}
