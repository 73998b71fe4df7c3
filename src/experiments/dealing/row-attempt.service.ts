import { Injectable, Logger } from '@nestjs/common';
import { AuthService } from '../../auth/auth.service';
import type { Caller } from '../../auth/caller';
import { hasScope } from '../../auth/scopes';
import { Clock } from '../../common/clock';
import { ApiError, type ErrorCode } from '../../common/errors';
import type { Transaction } from '../../database/transaction';
import { EvalsService, type StoredEval } from '../../evals/evals.service';
import type { ResultError } from '../../evals/result.entity';
import { CompareService } from '../../execution/compare.service';
import { LockLostError } from '../../execution/job-lock';
import { toApiError } from '../../http/error.filter';
import { Metrics } from '../../observability/metrics';
import { readCommand } from '../../runs/job-command';
import type { PauseReason } from '../experiment.entity';
import { rowCommand } from '../row-command';
import { failureFigures, figuresOfEval } from '../row-figures';
import type { HeldRow } from './held-row';
import { Pace, type RowOutcome } from './pace';
import { RowsRepository } from './rows.repository';

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
  model_not_allowed: 'model_gone',
};

/** Runs one row that was dealt. It ends with an eval, with an error, or waits to be dealt again. */
@Injectable()
export class RowAttemptService {
  readonly pace = new Pace();
  private readonly log = new Logger(RowAttemptService.name);

  constructor(
    private readonly rows: RowsRepository,
    private readonly compare: CompareService,
    private readonly evals: EvalsService,
    private readonly auth: AuthService,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Runs a held row. Never throws: if its end cannot be stored, its lease expires. */
  async run(row: HeldRow, isStopping: () => boolean): Promise<void> {
    try {
      this.metrics.experimentRows.inc({ outcome: await this.attempt(row, isStopping) });
    } catch (error) {
      if (error instanceof LockLostError) this.metrics.experimentRows.inc({ outcome: 'lost' });
      else this.log.warn(`The result of ${row.id} cannot be stored now; the row repeats when its lease expires: ${String(error)}`);
    }
  }

  /** Ends a row with its eval, in the transaction that stores the eval if there is one; false if the lease is lost. */
  async end(row: HeldRow, stored: StoredEval, tx?: Transaction): Promise<boolean> {
    const { record, results } = stored;
    const { figures, missing } = figuresOfEval(stored, readCommand(row.owner.spec.command));
    const end = { cost: record.totalCost, charge: record.charge, figures, missing: missing.length === 0 ? null : missing };
    const state = await this.rows.succeed(row.claim, end, this.clock.now(), tx);
    if (state === undefined) return false;
    if (state !== 'running') this.pace.forget(row.row.experimentId);
    else await this.note(row, { models: record.models, missing, isRateLimited: results.some(({ error }) => error?.code === 'rate_limited') });
    return true;
  }

  private async attempt(row: HeldRow, isStopping: () => boolean): Promise<string> {
    const { retries, models, maxCost, experimentId } = row.row;
    try {
      if (row.owner.state !== 'running') return await this.settleOrLeave(row);
      if (retries > MAX_RETRIES) throw new ApiError('internal_error', { message: `The row was begun ${MAX_RETRIES} times and never came to an end; nothing was charged.` });
      const command = rowCommand(readCommand(row.owner.spec.command), row.texts, { experimentId, models, maxCost });
      await this.compare.run(await this.callerOf(row), command, { lock: row });
      return 'done';
    } catch (thrown) {
      if (thrown instanceof LockLostError) throw thrown;
      return this.endWith(row, toApiError(thrown), { isStopped: isStopping(), thrown });
    }
  }

  private async endWith(row: HeldRow, error: ApiError, { isStopped, thrown }: { isStopped: boolean; thrown: unknown }): Promise<string> {
    const reason = PAUSING[error.code];
    if (reason !== undefined) {
      await this.rows.putBackAndPause(row.claim, { reason, detail: error.message });
      return 'waiting';
    }
    const isTransient = error.code === 'unavailable' || error.code === 'overloaded';
    // Too dear since its deal: it is dealt again at the price of today.
    if (error.code === 'max_cost_exceeded' || (isTransient && row.row.retries < MAX_RETRIES)) {
      const mayRunAtOnce = isStopped || !isTransient;
      await this.rows.putBack([row.claim], mayRunAtOnce ? 0 : Math.min(2 ** row.row.retries, MAX_BACKOFF_SECONDS), !mayRunAtOnce);
      return 'waiting';
    }
    return this.fail(row, error, thrown);
  }

  private async fail(row: HeldRow, error: ApiError, thrown: unknown): Promise<string> {
    if (error.status >= 500 && error.code !== 'all_models_failed') this.log.error({ row: row.id, err: error.cause ?? thrown, msg: 'row failed' });
    const template = readCommand(row.owner.spec.command);
    const models = row.row.models ?? template.models;
    const errors = error.code === 'all_models_failed' ? (error.details as { models: { model: string; error: ResultError }[] }).models : [];
    const { code, message, details } = error;
    const state = await this.rows.fail(row.claim, { code, message, ...(details !== undefined && { details }) }, { figures: failureFigures(errors, models, template), missing: models }, this.clock.now());
    if (state === undefined) throw new LockLostError(row);
    if (errors.length > 0) await this.note(row, { models, missing: models, isRateLimited: errors.some((one) => one.error.code === 'rate_limited') });
    return 'failed';
  }

  /** Of an experiment that does not run any more: the eval of a dead process may be stored; if not, nothing more is called. */
  private async settleOrLeave(row: HeldRow): Promise<string> {
    const stored = await this.evals.find(row, row.evalId);
    if (stored !== undefined) await row.markStored(stored);
    else await this.rows.putBack([row.claim], 0, false);
    return stored === undefined ? 'waiting' : 'done';
  }

  /** Counts a row for the pace of its experiment, and pauses that if a model fails again and again. */
  private async note({ row: { experimentId }, owner: { parallel } }: HeldRow, outcome: RowOutcome): Promise<void> {
    const failing = this.pace.count(experimentId, parallel, outcome);
    if (failing === undefined) return;
    this.pace.forget(experimentId);
    await this.rows.pause(experimentId, { reason: 'failing', detail: `${failing} failed in 20 rows in a row.` });
  }

  /** The current state of the caller: the scopes of a key can have changed since. @throws ApiError unauthorized, insufficient_scope */
  private async callerOf({ owner: { keyId } }: HeldRow): Promise<Caller> {
    const caller = await this.auth.findCaller(keyId);
    if (caller === undefined) throw new ApiError('unauthorized', { message: 'The API key that started this experiment was revoked or has expired.' });
    if (!hasScope(caller.scopes, 'experiments')) throw new ApiError('insufficient_scope', { message: 'The API key that started this experiment lost the scope `experiments`.' });
    return caller;
  }
}
