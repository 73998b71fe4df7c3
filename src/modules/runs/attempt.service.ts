import { Logger } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { toApiError } from '../../common/to-api-error';
import type { Metrics } from '../../platform/observability/metrics';
import type { AuthService } from '../auth/auth.service';
import type { Caller } from '../auth/caller';
import { hasScope, type Scope } from '../auth/scopes';
import { LockLostError } from '../execution/job-lock';
import type { ClaimedWork } from './work-source';

/** Work that was started this often without an end is not started again: it may be the cause of the crashes. */
export const MAX_RETRIES = 10;
const MAX_BACKOFF_SECONDS = 60;

/** When work is claimed again, and whether the attempt counts among its retries. */
export interface Requeue {
  afterSeconds: number;
  countsAsRetry: boolean;
}

/** The words of one kind of work. */
export interface AttemptWords {
  kind: 'run' | 'row';
  scope: Scope;
  /** Completes "The API key". */
  key: string;
  /** Completes the sentences about a key that cannot pay. */
  consequence: string;
}

/** Attempts of claimed work. Each ends with an eval, with an error, or back in the queue. */
export abstract class AttemptService<Work extends ClaimedWork & { readonly keyId: string; readonly retries: number }> {
  protected readonly log = new Logger(this.constructor.name);

  constructor(
    private readonly auth: AuthService,
    private readonly outcomes: Metrics['runs'],
    private readonly words: AttemptWords,
  ) {}

  /** Runs claimed work. Never throws: if its end cannot be stored, its lease expires. */
  async run(work: Work, isStopping: () => boolean): Promise<void> {
    try {
      this.outcomes.inc({ outcome: await this.attempt(work, isStopping) });
    } catch (error) {
      if (error instanceof LockLostError) this.outcomes.inc({ outcome: 'lost' });
      else
        this.log.warn(
          `The result of ${work.id} cannot be stored now; the ${this.words.kind} repeats when its lease expires: ${String(error)}`,
        );
    }
  }

  /** Does without a compare what can be; the outcome, or undefined if a compare is needed. */
  protected settle?(work: Work): Promise<string | undefined>;

  /** Runs the compare. @returns the outcome */
  protected abstract compare(work: Work): Promise<string>;

  /**
   * Requeues work after an error; `requeue` is undefined if the error lasts.
   * @returns the outcome, or undefined if the work fails
   */
  protected abstract requeue(work: Work, error: ApiError, requeue: Requeue | undefined): Promise<string | undefined>;

  /** Ends work without an eval. @throws LockLostError */
  protected abstract fail(work: Work, error: ApiError): Promise<void>;

  /**
   * The current state of the caller: the scopes of a key can have changed since. @throws ApiError unauthorized,
   * insufficient_scope
   */
  protected async callerOf({ keyId }: Work): Promise<Caller> {
    const { scope, key, consequence } = this.words;
    const caller = await this.auth.findCaller(keyId);
    if (caller === undefined)
      throw new ApiError('unauthorized', { message: `The API key ${key} was revoked or has expired${consequence}.` });
    if (!hasScope(caller.scopes, scope))
      throw new ApiError('insufficient_scope', {
        message: `The API key ${key} lost the scope \`${scope}\`${consequence}.`,
      });
    return caller;
  }

  private async attempt(work: Work, isStopping: () => boolean): Promise<string> {
    const { kind } = this.words;
    try {
      const settled = await this.settle?.(work);
      if (settled !== undefined) return settled;
      if (work.retries > MAX_RETRIES)
        throw new ApiError('internal_error', {
          message: `The ${kind} was begun ${MAX_RETRIES} times and never came to an end; nothing was charged.`,
        });
      return await this.compare(work);
    } catch (thrown) {
      if (thrown instanceof LockLostError) throw thrown;
      const error = toApiError(thrown);
      const requeued = await this.requeue(work, error, requeueAfter(error, work.retries, isStopping()));
      if (requeued !== undefined) return requeued;
      if (error.status >= 500 && error.code !== 'all_models_failed') this.logFailure(work, error.cause ?? thrown);
      await this.fail(work, error);
      return 'failed';
    }
  }

  private logFailure({ id }: Work, err: unknown): void {
    const { kind } = this.words;
    this.log.error({ [kind === 'run' ? 'runId' : kind]: id, err, msg: `${kind} failed` });
  }
}

/** Undefined for an error that would come again, and after too many attempts. */
function requeueAfter({ code }: ApiError, retries: number, isStopping: boolean): Requeue | undefined {
  if (code !== 'unavailable' && code !== 'overloaded') return undefined;
  if (isStopping) return { afterSeconds: 0, countsAsRetry: false };
  return retries < MAX_RETRIES
    ? { afterSeconds: Math.min(2 ** retries, MAX_BACKOFF_SECONDS), countsAsRetry: true }
    : undefined;
}
