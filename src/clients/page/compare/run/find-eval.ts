import { AuthenticationError, CompareError, ConnectionError, type Eval, ServiceError } from '../../../client/client';

/** How a run that is out of sight is asked for. */
interface EvalSource {
  /** The stored eval. */
  get: () => Promise<Eval>;
  /**
   * The eval by the Idempotency-Key of its run, for keys that may compare but not read evals; undefined where it is not
   * known.
   */
  replay: (() => Promise<Eval>) | undefined;
  wait: (ms: number) => Promise<void>;
  /** How many rounds of answers the run has, one after the other; 1 by default. */
  rounds?: number;
  /** How long ago the run was sent, in milliseconds; 0 by default. */
  sentMsAgo?: number;
}

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 8000;
/** A round of answers ends within 90 seconds. */
const MAX_ROUND_WAIT_MS = 100_000;
/** Time for a service that has just been started again. */
const MIN_TOTAL_WAIT_MS = 15_000;

/**
 * Asks for the eval of a run that goes on, after 1, 2, 4 … seconds, until 100 seconds a round after it was sent: then
 * it has ended; undefined when the service does not have it. @throws CompareError, also where the service did not
 * answer to the end
 */
export async function findEval({ get, replay, wait, ...age }: EvalSource): Promise<Eval | undefined> {
  const maxTotal = maxTotalOf(age);
  let waited = 0;
  let last: unknown;
  for (let next = FIRST_WAIT_MS; waited < maxTotal; next = Math.min(next * 2, MAX_WAIT_MS)) {
    const pause = Math.min(next, maxTotal - waited);
    await wait(pause);
    waited += pause;
    try {
      return await get();
    } catch (error) {
      if (error instanceof AuthenticationError && error.status === 403 && replay !== undefined) return await replay();
      if (!mayYetCome(error)) throw error;
      last = error;
    }
  }
  if (last instanceof CompareError && last.status !== 404) throw last;
  return undefined;
}

function maxTotalOf({ rounds = 1, sentMsAgo = 0 }: Pick<EvalSource, 'rounds' | 'sentMsAgo'>): number {
  return Math.max(MIN_TOTAL_WAIT_MS, MAX_ROUND_WAIT_MS * rounds - sentMsAgo);
}

function mayYetCome(error: unknown): boolean {
  if (!(error instanceof CompareError)) return false;
  return (
    error.status === 404 || error.status === 429 || error instanceof ConnectionError || error instanceof ServiceError
  );
}
