import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../common/errors';
import { Money } from '../../../common/money';
import type { StoredRow } from '../../datasets/dataset-row.entity';
import { DatasetsService } from '../../datasets/datasets.service';
import type { CompareCommand } from '../../execution/compare.types';
import { fillPrompt, type FilledPrompt } from '../../execution/prompt';
import { quotesFor, totalMaxCost, type Quote } from '../../execution/quote';
import { ModelsService, type PricedModel } from '../../models/models.service';
import { readCommand } from '../../runs/job-command';
import type { Experiment } from '../experiment.entity';
import type { SchedulingExperiment } from '../experiment.types';
import { JudgedRowsService } from '../judge/judged-rows.service';
import { rowCommand } from '../row-command';
import { RowsRepository, type WaitingRow } from './rows.repository';

/** A row that can be scheduled next, and the most that it can cost. */
export interface PricedRow {
  texts: StoredRow;
  /** Undefined for a row that is scheduled for the first time. */
  waiting: WaitingRow | undefined;
  maxCost: Money;
}

/** The experiment of some rows. */
export type RowSource = Pick<Experiment, 'id' | 'userId' | 'datasetId' | 'spec'>;

/** Reads the next rows of experiments and says what they can cost. */
@Injectable()
export class PricedRowsService {
  constructor(
    private readonly rows: RowsRepository,
    private readonly datasets: DatasetsService,
    private readonly judged: JudgedRowsService,
    private readonly models: ModelsService,
  ) {}

  /**
   * At most `count` rows: first the waiting ones, then the next ones of the data set. @throws ApiError unknown_model
   */
  async next(experiment: SchedulingExperiment, count: number, at: Date): Promise<PricedRow[]> {
    const { id, spec, nextNo, rowCount, hasWaiting } = experiment;
    const template = readCommand(spec.command);
    const waiting = hasWaiting ? await this.rows.waiting(id, count) : [];
    const fresh = Math.min(count - waiting.length, rowCount - nextNo);
    const texts = fresh > 0 ? await this.readRows(experiment, nextNo, fresh) : [];
    const again = await Promise.all(
      waiting.map(async (row) =>
        (await this.readRows(experiment, row.rowNo, 1)).map((one) => ({ texts: one, waiting: row })),
      ),
    );
    return [...again.flat(), ...texts.map((one) => ({ texts: one, waiting: undefined }))].map((row) => {
      const models = this.models.require(row.waiting?.models ?? template.models, at);
      return { ...row, maxCost: totalMaxCost(this.quotesOf(template, row.texts, models).quotes, template.samples) };
    });
  }

  /** The quotes of a row, and the texts that are sent; none for a row that cannot run, which fails without a call. */
  quotesOf(
    template: CompareCommand,
    row: StoredRow,
    models: readonly PricedModel[],
  ): { quotes: readonly Quote[]; prompt: FilledPrompt } {
    try {
      const { prompt, input, options } = rowCommand(template, row, { experimentId: '', models: null });
      const filled = fillPrompt(prompt, input, options.extra?.history);
      return { quotes: quotesFor(models, filled, options), prompt: filled };
    } catch (error) {
      if (error instanceof ApiError) return { quotes: [], prompt: { text: '', warnings: [] } };
      throw error;
    }
  }

  /** Rows of a data set, or the questions to judges; fewer if the data set was deleted. */
  async readRows(
    { id, userId, datasetId, spec: { judge } }: RowSource,
    from: number,
    count: number,
  ): Promise<StoredRow[]> {
    if (judge === undefined) return this.datasets.readRows(datasetId, from, count);
    return this.judged.write({ id, userId, judge }, from, count);
  }
}
