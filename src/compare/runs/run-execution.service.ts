import { Injectable, Logger } from '@nestjs/common';
import { AuthService } from '../../auth/auth.service';
import type { Caller } from '../../auth/caller';
import { hasScope } from '../../auth/scopes';
import { ApiError, ERRORS } from '../../common/errors';
import { Metrics } from '../../observability/metrics';
import { toApiError } from '../../http/error.filter';
import { CompareService } from '../compare.service';
import { PromptLogService } from '../prompt-log.service';
import { RunEndingsService } from './run-endings.service';
import { commandOf } from './run-order';
import { LeaseLostError, type ClaimedRun, type RunError } from './run.types';

/** A run that was started this often without an end is not started again: it may be the cause of the crashes. */
const MAX_RETRIES = 10;
const MAX_BACKOFF_SECONDS = 60;
/** Nothing is wrong with the run: it can be tried again. */
const TRANSIENT: ReadonlySet<string> = new Set(['unavailable', 'overloaded']);

/** Runs what was claimed, to an end that is written down: an eval, an error, or back into the queue. */
@Injectable()
export class RunExecutionService {
  private readonly log = new Logger(RunExecutionService.name);

  constructor(
    private readonly endings: RunEndingsService,
    private readonly compare: CompareService,
    private readonly auth: AuthService,
    private readonly promptLog: PromptLogService,
    private readonly metrics: Metrics,
  ) {}

  /** Runs a claimed run. Never throws: what cannot be written down is left to the lease, which runs out. */
  async run(claimed: ClaimedRun, isStopping: () => boolean): Promise<void> {
    try {
      this.metrics.runs.inc({ outcome: await this.attempt(claimed, isStopping) });
    } catch (error) {
      if (error instanceof LeaseLostError) this.metrics.runs.inc({ outcome: 'lost' });
      else this.log.warn(`The result of ${claimed.runId} cannot be stored now; the run repeats when its lease expires: ${String(error)}`);
    }
  }

  private async attempt(claimed: ClaimedRun, isStopping: () => boolean): Promise<string> {
    try {
      if (claimed.retries > MAX_RETRIES) throw new ApiError('internal_error', { message: `The run was begun ${MAX_RETRIES} times and never came to an end; nothing was charged.` });
      const outcome = await this.compare.runClaimed(await this.callerOf(claimed), commandOf(claimed.order), claimed);
      this.promptLog.logRun(outcome, claimed.runId);
      return 'succeeded';
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) throw thrown;
      const error = toApiError(thrown);
      if (!TRANSIENT.has(error.code) || claimed.retries === MAX_RETRIES) return this.fail(claimed, error, thrown);
      const isStopped = isStopping();
      await this.endings.giveBack(claimed, isStopped ? 0 : Math.min(2 ** claimed.retries, MAX_BACKOFF_SECONDS), !isStopped);
      return 'given_back';
    }
  }

  private async fail(claimed: ClaimedRun, error: ApiError, thrown: unknown): Promise<string> {
    if (error.status >= 500 && error.code !== 'all_models_failed') this.log.error({ runId: claimed.runId, err: error.cause ?? thrown, msg: 'run failed' });
    await this.endings.fail(claimed, runErrorOf(error));
    return 'failed';
  }

  /** The current state of the caller: the scopes of a key can have changed since. @throws ApiError unauthorized, insufficient_scope */
  private async callerOf({ keyId }: ClaimedRun): Promise<Caller> {
    const caller = await this.auth.findCaller(keyId);
    if (caller === undefined) throw new ApiError('unauthorized', { message: 'The API key of this run was revoked or has expired before it began; nothing was charged.' });
    if (!hasScope(caller.scopes, 'compare')) throw new ApiError('insufficient_scope', { message: 'The API key of this run lost the scope `compare` before it began; nothing was charged.' });
    return caller;
  }
}

function runErrorOf({ code, message, param, details }: ApiError): RunError {
  // The sentence asks for the id of a request, and there is none.
  const sentence = message === ERRORS.internal_error.message ? 'Internal error; nothing was charged. Include the run_id when you report it.' : message;
  return { code, message: sentence, ...(param !== undefined && { param }), ...(details !== undefined && { details }) };
}
