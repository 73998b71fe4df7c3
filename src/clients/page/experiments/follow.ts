import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CompareError, Experiment } from '../../client/client';
import { delay } from '../../client/retries';
import { asCompareError } from '../requests';
import { client, session } from '../session';

/** The last known state of an experiment; `restart` follows it again. */
interface Followed {
  experiment: Signal<Experiment | undefined>;
  /** The latest failure. The service is asked again if another try can succeed. */
  failure: Signal<CompareError | undefined>;
  restart: () => void;
}

const LOOK_AGAIN_MS = 2000;
const MAX_PAUSE_SECONDS = 30;

/** Follows an experiment to its end, with one request at a time, while the page is visible and the key is valid. */
export function useFollowed(id: string): Followed {
  const experiment = useSignal<Experiment | undefined>(undefined);
  const failure = useSignal<CompareError | undefined>(undefined);
  const turn = useSignal(0);
  const isSignedIn = session.value.kind === 'signed-in';
  useEffect(() => {
    let stop = new AbortController();
    const begin = (): void => {
      stop.abort(new Error('No longer followed.'));
      stop = new AbortController();
      if (!document.hidden && isSignedIn) void follow(id, stop.signal, experiment, failure);
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      document.removeEventListener('visibilitychange', begin);
      stop.abort(new Error('No longer shown.'));
    };
  }, [id, isSignedIn, turn.value]);
  return {
    experiment,
    failure,
    restart: () => {
      turn.value += 1;
    },
  };
}

async function follow(
  id: string,
  signal: AbortSignal,
  experiment: Followed['experiment'],
  failure: Followed['failure'],
): Promise<void> {
  const onProgress = (latest: Experiment): void => {
    [experiment.value, failure.value] = [latest, undefined];
  };
  let isOver = false;
  while (!isOver && !signal.aborted) {
    try {
      const { rows, state, reason } = await client().experiments.wait(id, { signal, maxRetries: 0, onProgress });
      // Rows that run end and are charged also after a pause, and judges go on by themselves once there are answers.
      isOver = rows.running === 0 && state !== 'erasing' && reason !== 'waiting_for_answers';
    } catch (error) {
      if (signal.aborted) return;
      failure.value = asCompareError(error);
      isOver = !isTemporary(failure.value);
    }
    if (!isOver) await delay(pauseMs(failure.value), signal).catch(() => undefined);
  }
}

function pauseMs(failure: CompareError | undefined): number {
  return Math.min(failure?.retryAfter ?? 0, MAX_PAUSE_SECONDS) * 1000 || LOOK_AGAIN_MS;
}

/** True for no answer, too many requests, or a fault of the service. */
export function isTemporary({ status, code }: CompareError): boolean {
  return code !== 'unexpected_answer' && (status === undefined || status === 429 || status >= 500);
}
