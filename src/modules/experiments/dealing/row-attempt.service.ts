import { Injectable, Logger } from '@nestjs/common';
import { AuthService } from '../../auth/auth.service';
import type { Caller } from '../../auth/caller';
import { hasScope } from '../../auth/scopes';
import { ApiError, type ErrorCode } from '../../../common/errors';
import { EvalsService } from '../../evals/evals.service';
import { CompareService } from '../../execution/compare.service';
import { LockLostError } from '../../execution/job-lock';
import { toApiError } from '../../../common/to-api-error';
import { Metrics } from '../../../platform/observability/metrics';
import { readCommand } from '../../runs/job-command';
import type { PauseReason } from '../experiment.entity';
import { rowCommand } from '../row-command';
import type { HeldRow } from './held-row';
import { RowEndsService } from './row-ends.service';

/** A row that was begun this often without an end has failed: it may be the cause of the crashes. */
const MAX_RETRIES = 10;
const MAX_BACKOFF_SECONDS = 60;

/** Errors that concern every row of the experiment: it pauses with a reason. */
const PAUSING: Partial<Record<ErrorCode, PauseReason>> = {
  unauthorized: 'key_revoked',
  insufficient_scope: 'key_revoked',
  payment_required: 'payment_required',
  spend_limit_reached: 'spend_limit_reached',
  key_spend_limit_reached: 'spend_limit_reached',
  unknown_model: 'model_gone',
  model_not_allowed: 'model_not_allowed',
};

/** Runs one dealt row. It ends with an eval, with an error, or waits to be dealt again. */
@Injectable()
export class RowAttemptService {
  private readonly log = new Logger(RowAttemptService.name);

  constructor(
    private readonly ends: RowEndsService,
    private readonly compare: CompareService,
    private readonly evals: EvalsService,
    private readonly auth: AuthService,
    private readonly metrics: Metrics,
  ) {}

  /** Runs a held row. Never throws: if its end cannot be stored, its lease expires. */
  async run(row: HeldRow, isStopping: () => boolean): Promise<void> {
    try {
      this.metrics.experimentRows.inc({ outcome: await this.attempt(row, isStopping) });
    } catch (error) {
      if (error instanceof LockLostError) this.metrics.experimentRows.inc({ outcome: 'lost' });
      else
        this.log.warn(
          `The result of ${row.id} cannot be stored now; the row repeats when its lease expires: ${String(error)}`,
        );
    }
  }

  private async attempt(row: HeldRow, isStopping: () => boolean): Promise<string> {
    const { retries, models, maxCost, experimentId } = row.row;
    try {
      if (row.owner.state !== 'running') return await this.settleOrLeave(row);
      if (retries > MAX_RETRIES)
        throw new ApiError('internal_error', {
          message: `The row was begun ${MAX_RETRIES} times and never came to an end; nothing was charged.`,
        });
      const command = rowCommand(readCommand(row.owner.spec.command), row.texts, { experimentId, models, maxCost });
      await this.compare.run(await this.callerOf(row), command, { lock: row });
      return 'done';
    } catch (thrown) {
      if (thrown instanceof LockLostError) throw thrown;
      const error = toApiError(thrown);
      if (await this.mayGoOn(row, error, isStopping())) return 'waiting';
      if (error.status >= 500 && error.code !== 'all_models_failed')
        this.log.error({ row: row.id, err: error.cause ?? thrown, msg: 'row failed' });
      await this.ends.fail(row, error);
      return 'failed';
    }
  }

  /** Puts a row back that can be run later; false if it cannot. */
  private async mayGoOn(row: HeldRow, { code, message }: ApiError, isStopped: boolean): Promise<boolean> {
    const { retries } = row.row;
    const reason = PAUSING[code];
    const isTransient = code === 'unavailable' || code === 'overloaded';
    if (reason !== undefined) await this.ends.pause(row, { reason, detail: message });
    // Too dear since its deal: it is dealt again at the price of today.
    else if (code === 'max_cost_exceeded' || (isTransient && isStopped)) await this.ends.putBack(row, 0, false);
    else if (isTransient && retries < MAX_RETRIES)
      await this.ends.putBack(row, Math.min(2 ** retries, MAX_BACKOFF_SECONDS), true);
    else return false;
    return true;
  }

  /**
   * Of an experiment that does not run any more: the eval of a dead process may be stored; if not, nothing more is
   * called.
   */
  private async settleOrLeave(row: HeldRow): Promise<string> {
    const stored = await this.evals.find(row, row.evalId);
    if (stored === undefined) await this.ends.putBack(row, 0, false);
    else await row.markStored(stored);
    return stored === undefined ? 'waiting' : 'done';
  }

  /**
   * The current state of the caller: the scopes of a key can have changed since. @throws ApiError unauthorized,
   * insufficient_scope
   */
  private async callerOf({ owner: { keyId } }: HeldRow): Promise<Caller> {
    const caller = await this.auth.findCaller(keyId);
    if (caller === undefined)
      throw new ApiError('unauthorized', {
        message: 'The API key that pays for this experiment was revoked or has expired.',
      });
    if (!hasScope(caller.scopes, 'experiments'))
      throw new ApiError('insufficient_scope', {
        message: 'The API key that pays for this experiment lost the scope `experiments`.',
      });
    return caller;
  }
}
