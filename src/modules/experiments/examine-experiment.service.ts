import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Config } from '../../platform/config/config';
import { DatasetsService } from '../datasets/datasets.service';
import { AdmissionService, refuseForbidden } from '../execution/admission.service';
import type { CompareCommand } from '../execution/compare.types';
import { ModelsService, type PricedModel } from '../models/models.service';
import type { ExperimentCommand } from './experiment.types';
import { judgeRowCount } from './judge/judge-spec';
import { renamingModels } from './judge/judge-command.service';
import { namesIn, turnsOf } from './row-command';

/** Members of a row that no prompt can contain. */
const MEMBERS: ReadonlySet<string> = new Set(['id', 'expected', 'group', 'checks']);

/** Decides before anything runs whether an experiment can run. */
@Injectable()
export class ExamineExperimentService {
  constructor(
    private readonly datasets: DatasetsService,
    private readonly admission: AdmissionService,
    private readonly models: ModelsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses everything that can be refused before the first row. Returns the number of rows, the models, and the
   * judges of rubrics.
   * @throws ApiError not_found for the data set, unknown_model, model_not_allowed, invalid_request for an unusable
   * check, a name that a row lacks or too many calls, overloaded
   */
  async examine(
    caller: Caller,
    { datasetId, command, spec: { limit, judge, rubrics = [] } }: ExperimentCommand,
  ): Promise<{ rows: number; models: PricedModel[]; judges: PricedModel[] }> {
    const { rowCount, columns } = await this.datasets.find(caller.userId, datasetId);
    const rows = judge === undefined ? Math.min(limit ?? rowCount, rowCount) : judgeRowCount(judge);
    const now = this.clock.now();
    this.refuseTooManyCalls(rows, command, judge === undefined ? 'limit' : 'judge.rows');
    // As a compare without an input.
    await renamingModels(
      () => this.admission.admit(caller, command, now),
      (index) => `${judge === undefined ? '' : 'judge.'}models[${index}]`,
    );
    const prompts = [
      judge === undefined
        ? { text: command.prompt, param: 'prompt' }
        : { text: judge.criterion, param: 'judge.criterion' },
      ...rubrics.map(({ criterion: text }) => ({ text, param: 'checks' })),
      ...turnsOf(command).map(({ content: text }, index) => ({
        text,
        param: `options.history[${index}].content`,
      })),
    ];
    for (const prompt of prompts)
      await this.refuseMissingNames(datasetId, prompt, { rows: Math.min(judge?.rows ?? rows, rowCount), columns });
    const judges = rubrics.map((rubric) => rubric.judge);
    refuseForbidden(caller, judges);
    return { rows, models: this.models.require(command.models, now), judges: this.models.require(judges, now) };
  }

  /** @throws ApiError payment_required */
  refuseWithoutPayment({ hasPaymentMethod }: Caller): void {
    if (this.config.BILLING_ENFORCEMENT === 'meter' || hasPaymentMethod) return;
    throw new ApiError('payment_required', { message: 'Experiments are not free, and no payment method is on file.' });
  }

  /**
   * Refuses a key that cannot pay for the rest of an experiment. @throws ApiError payment_required, model_not_allowed
   */
  refusePayer(caller: Caller, models: readonly string[]): void {
    this.refuseWithoutPayment(caller);
    refuseForbidden(caller, models);
  }

  private refuseTooManyCalls(rows: number, { models, samples }: CompareCommand, param: string): void {
    const [calls, max] = [rows * models.length * samples, this.config.EXPERIMENT_MAX_CALLS];
    if (calls <= max) return;
    throw new ApiError('invalid_request', {
      message: `${param} leads to ${calls} model calls, with ${rows} rows, ${models.length} models and ${samples} samples; at most ${max} are possible.`,
      param,
    });
  }

  /** Other words in braces stay unchanged: only a name that some rows have is missing in the others. */
  private async refuseMissingNames(
    datasetId: string,
    { text, param }: { text: string; param: string },
    { rows, columns }: { rows: number; columns: readonly string[] },
  ): Promise<void> {
    for (const name of namesIn(text)) {
      if (name !== 'input' && (MEMBERS.has(name) || !columns.includes(name))) continue;
      const row = await this.datasets.firstWithout(datasetId, name, rows);
      if (row !== undefined)
        throw new ApiError('invalid_request', {
          message: `${param} contains {${name}}, which row ${row.rowId} (line ${row.line}) does not have.`,
          param,
        });
    }
  }
}
