import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { ApiError } from '../../../common/errors';
import type { Transaction } from '../../../platform/database/transaction';
import type { StoredEval } from '../../evals/evals.service';
import type { ResultError } from '../../evals/result.entity';
import { LockLostError } from '../../execution/job-lock';
import { Metrics } from '../../../platform/observability/metrics';
import { readCommand } from '../../runs/job-command';
import type { ExperimentState } from '../experiment.entity';
import type { SchedulingExperiment } from '../experiment.types';
import { SummariesService } from '../summary/summaries.service';
import { failureFigures, figuresOfEval } from '../summary/figures';
import { markOf, withVerdicts } from '../judge/judge-prompt';
import { ExperimentsRepository } from '../experiments.repository';
import type { ClaimedRow } from './claimed-row';
import { MAX_FAILURES_IN_A_ROW, Pace, type RowOutcome } from './pace';
import { RowsRepository, type Pause } from './rows.repository';

/** Ends rows, or requeues them, and learns from their ends how fast their experiment may run. */
@Injectable()
export class RowEndsService {
  private readonly pace = new Pace();

  constructor(
    private readonly rows: RowsRepository,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly summaries: SummariesService,
    private readonly experiments: ExperimentsRepository,
  ) {}

  /** The lower limits of rows that run at the same time, by experiment. */
  get limits(): Record<string, number> {
    return this.pace.limits;
  }

  /** Ends a row with its eval, in the transaction that stores the eval if there is one; false if the lease is lost. */
  async succeed(row: ClaimedRow, stored: StoredEval, tx?: Transaction): Promise<boolean> {
    const { record, results } = stored;
    const { judge, command } = row.owner.spec;
    const { experimentId, rowNo } = row.row;
    const judged =
      judge === undefined ? stored : { record, results: withVerdicts(results, judge, markOf(experimentId, rowNo)) };
    const { figures, missing } = figuresOfEval(judged, readCommand(command));
    const end = {
      cost: record.totalCost,
      charge: record.charge,
      figures,
      missing: missing.length === 0 ? null : missing,
    };
    const state = await this.ended(row, tx, (own) => this.rows.succeed(row.claim, end, this.clock.now(), own));
    if (state === undefined) return false;
    row.isLast = state === 'finished';
    if (state !== 'running') this.pace.forget(row.row.experimentId);
    else
      await this.learn(row, {
        models: record.models,
        missing,
        isRateLimited: results.some(({ error }) => error?.code === 'rate_limited'),
      });
    return true;
  }

  /** Ends a row in which no model answered. @throws LockLostError */
  async fail(row: ClaimedRow, { code, message, details }: ApiError): Promise<void> {
    const template = readCommand(row.owner.spec.command);
    const models = row.row.models ?? template.models;
    const errors =
      code === 'all_models_failed' ? (details as { models: { model: string; error: ResultError }[] }).models : [];
    const figures = failureFigures(errors, models, template);
    const failure = { code, message, ...(details !== undefined && { details }) };
    const state = await this.ended(row, undefined, (own) =>
      this.rows.fail(row.claim, failure, { figures, missing: models }, this.clock.now(), own),
    );
    if (state === undefined) throw new LockLostError(row);
    row.isLast = state === 'finished';
    if (state !== 'running') this.pace.forget(row.row.experimentId);
    else if (errors.length > 0)
      await this.learn(row, {
        models,
        missing: models,
        isRateLimited: errors.some(({ error }) => error.code === 'rate_limited'),
      });
  }

  /** Lets a row wait to be scheduled again after some seconds. */
  async requeue(row: ClaimedRow, afterSeconds: number, countsAsRetry: boolean): Promise<void> {
    await this.rows.requeue([row.claim], afterSeconds, countsAsRetry);
  }

  /** Lets a row wait and pauses its experiment, unless another key pays for that by now. */
  async pause(row: ClaimedRow, pause: Pause): Promise<void> {
    await this.rows.requeueAndPause(row.claim, row.owner.keyId, pause);
  }

  /** Keeps the summary of an experiment that has finished with this row. */
  keepSummaryAfter(row: ClaimedRow): void {
    if (row.isLast) void this.summaries.keepFinal(row.userId, row.row.experimentId);
  }

  /** Pauses an experiment unless it was scheduled from, or its cap was changed, since. */
  async pauseUnscheduled(experiment: SchedulingExperiment, pause: Pause): Promise<void> {
    if ((await this.rows.pauseUnscheduled(experiment, pause)) && pause.reason === 'cap_reached')
      this.metrics.experimentCapsReached.inc();
  }

  /** Ends a row; with the last one, the judges that wait for its experiment begin in the same transaction. */
  private async ended(
    row: ClaimedRow,
    tx: Transaction | undefined,
    end: (tx?: Transaction) => Promise<ExperimentState | undefined>,
  ): Promise<ExperimentState | undefined> {
    if (row.owner.spec.rubrics === undefined) return end(tx);
    if (tx === undefined) return this.experiments.inTransaction((own) => this.ended(row, own, end));
    const state = await end(tx);
    if (state === 'finished') await this.experiments.judges.begin(tx, row.row.experimentId);
    return state;
  }

  /** Counts a row for the pace of its experiment, and pauses that if a model fails again and again. */
  private async learn({ row: { experimentId }, owner: { parallel } }: ClaimedRow, outcome: RowOutcome): Promise<void> {
    const failing = this.pace.count(experimentId, parallel, outcome);
    if (failing === undefined) return;
    this.pace.forget(experimentId);
    await this.rows.pause(experimentId, {
      reason: 'failing',
      detail: `${failing} gave no answer in ${MAX_FAILURES_IN_A_ROW} rows in a row.`,
    });
  }
}
