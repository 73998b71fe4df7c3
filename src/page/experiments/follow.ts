import { useSignal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CompareError, type Experiment } from '../../client/client';
import { delay } from '../../client/retries';
import { client, session } from '../session';

/** An experiment as it was last seen. */
interface Followed {
  experiment: Signal<Experiment | undefined>;
  /** Why it can no longer be followed. */
  failure: ReadonlySignal<CompareError | undefined>;
  /** The service could not be reached; it is asked again. */
  isLost: ReadonlySignal<boolean>;
  /** Follows it again, after a change. */
  restart: () => void;
}

const LOOK_AGAIN_MS = 2000;
const MAX_SILENCE_SECONDS = 30;

/** Follows an experiment to its end, with one request at a time. Stops while the page is hidden or the key is refused, and tries again after a lost connection. */
export function useFollowed(id: string): Followed {
  const experiment = useSignal<Experiment | undefined>(undefined);
  const failure = useSignal<CompareError | undefined>(undefined);
  const isLost = useSignal(false);
  const turn = useSignal(0);
  const isSignedIn = session.value.kind === 'signed-in';
  useEffect(() => {
    let stop = new AbortController();
    const begin = (): void => {
      stop.abort(new Error('No longer followed.'));
      stop = new AbortController();
      if (!document.hidden && isSignedIn) void follow(stop.signal);
    };
    const follow = async (signal: AbortSignal): Promise<void> => {
      failure.value = undefined;
      const onProgress = (latest: Experiment): void => {
        experiment.value = latest;
        isLost.value = false;
      };
      while (!signal.aborted) {
        try {
          const { rows, state } = await client().experiments.wait(id, { signal, maxRetries: 0, onProgress });
          // Rows that run end and are charged also after a pause.
          if (rows.running === 0 && state !== 'erasing') return;
          await delay(LOOK_AGAIN_MS, signal);
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof CompareError) || !isTemporary(error)) {
            failure.value = error instanceof CompareError ? error : new CompareError('The answer of the service could not be shown.', { code: 'unexpected_answer', cause: error });
            return;
          }
          isLost.value = true;
          await delay(Math.min(error.retryAfter ?? 0, MAX_SILENCE_SECONDS) * 1000 || LOOK_AGAIN_MS, signal).catch(() => undefined);
        }
      }
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      document.removeEventListener('visibilitychange', begin);
      stop.abort(new Error('No longer shown.'));
    };
  }, [id, isSignedIn, turn.value]);
  return { experiment, failure, isLost, restart: () => { turn.value += 1; } };
}

/** True for what another try can mend: no answer, too many requests, or a fault of the service. */
function isTemporary({ status, code }: CompareError): boolean {
  return code !== 'unexpected_answer' && (status === undefined || status === 429 || status >= 500);
}
