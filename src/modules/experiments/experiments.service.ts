import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import { DatasetsService } from '../datasets/datasets.service';
import { EvalsService } from '../evals/evals.service';
import { tQuantile } from '../statistics/distributions';
import { sixDigits } from '../statistics/rounding';
import { readCommand } from '../runs/job-command';
import { CANCELED_EXPERIMENT, isErased, type Experiment } from './experiment.entity';
import type { ExperimentView, Projected } from './experiment.types';
import { markOf, withVerdicts } from './judge/judge-prompt';
import type { ExperimentWithRunning } from './experiment.entity';
import { ExperimentsRepository } from './experiments.repository';
import { evalIdsOf, rowView, type ListedRow } from './rows/row-view';
import type { ExperimentRowDto, RowFilter } from './rows/rows.dto';

/** The number of ended rows from which on the time left is estimated. */
const MIN_ROWS_OF_ETA = 20;

/** The number of ended rows from which on the cost is projected. */
const MIN_ROWS_OF_COST = 3;

/** Rows of an export that are listed at once. Their texts are read in parts of 4 MB. */
const EXPORT_PAGE = 100;

/** Reads experiments and their rows. An experiment of another user does not exist. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly datasets: DatasetsService,
    private readonly evals: EvalsService,
    private readonly billing: BillingService,
    private readonly clock: Clock,
  ) {}

  /** One page of the caller's experiments, newest first. */
  async list({ userId }: Caller, limit: number, after: string | undefined): Promise<Page<ExperimentView>> {
    const page = paginate(await this.repository.page(userId, limit + 1, after), limit, ({ id }) => id);
    return { ...page, items: page.items.map((experiment) => this.viewOf(experiment)) };
  }

  /** @throws ApiError not_found, also for a malformed id and for an experiment of another user */
  async get(caller: Pick<Caller, 'userId'>, id: string): Promise<ExperimentView> {
    return this.viewOf(await this.find(caller, id));
  }

  /** The experiment itself. @throws ApiError not_found as `get` does */
  async find({ userId }: Pick<Caller, 'userId'>, id: string): Promise<ExperimentWithRunning> {
    const experiment = isId('exp', id) ? await this.repository.find(userId, id) : undefined;
    if (experiment === undefined) throw experimentNotFound();
    return experiment;
  }

  /** One page of rows; shorter than asked for if the texts are long. @throws ApiError not_found */
  async rows(
    caller: Pick<Caller, 'userId'>,
    id: string,
    { limit, after, state }: { limit: number; after: number; state?: RowFilter },
  ): Promise<Page<ExperimentRowDto>> {
    const experiment = await this.find(caller, id);
    const { items, next } = paginate(
      await this.repository.rows(id, { after, limit: limit + 1, state }, readCommand(experiment.spec.command)),
      limit,
      ({ rowNo }) => String(rowNo),
    );
    const rows = await this.withTexts(experiment, items);
    return { items: rows, next: rows.length < items.length ? String(rows.at(-1)?.row_no) : next };
  }

  /** All rows, read on demand. @throws ApiError not_found, with the first row */
  async *allRows(caller: Caller, id: string, state: RowFilter | undefined): AsyncGenerator<ExperimentRowDto> {
    const experiment = await this.find(caller, id);
    const command = readCommand(experiment.spec.command);
    let after = -1;
    for (;;) {
      let listed = await this.repository.rows(id, { after, limit: EXPORT_PAGE, state }, command);
      after = listed.at(-1)?.rowNo ?? after;
      const isLast = listed.length < EXPORT_PAGE;
      while (listed.length > 0) {
        const rows = await this.withTexts(experiment, listed);
        yield* rows;
        listed = listed.slice(rows.length);
      }
      if (isLast) return;
    }
  }

  /** An experiment with its progress. */
  viewOf(experiment: ExperimentWithRunning): ExperimentView {
    const { spec, running, open, maxCost, state } = experiment;
    return {
      experiment,
      command: readCommand(spec.command),
      running,
      waiting: state === CANCELED_EXPERIMENT ? 0 : Math.max(0, open - running),
      maxCharge: this.billing.chargeOf(maxCost, false),
      etaSeconds: this.etaOf(experiment),
      projectedCost: projectedCostOf(experiment),
    };
  }

  private etaOf({ state, done, failed, rowCount, createdAt, startedAt }: Experiment): number | null {
    const ended = done + failed;
    if (state !== 'running' || ended < MIN_ROWS_OF_ETA) return null;
    const seconds = (this.clock.now().getTime() - (startedAt ?? createdAt).getTime()) / 1000;
    return Math.ceil((seconds / ended) * Math.max(0, rowCount - ended));
  }

  /** The first rows within the bounds of texts, at least one. */
  private async withTexts(experiment: Experiment, listed: readonly ListedRow[]): Promise<ExperimentRowDto[]> {
    const { judge } = experiment.spec;
    const command = readCommand(experiment.spec.command);
    if (isErased(experiment)) return listed.map((row) => rowView(row, undefined, [], command));
    const numbers = judge === undefined ? listed.map(({ rowNo }) => rowNo) : [];
    const texts = new Map(
      (await this.datasets.readRowsByNo(experiment.datasetId, numbers)).map((row) => [row.no, row]),
    );
    const rows = texts.size === 0 ? listed : listed.slice(0, texts.size);
    const evals = await this.evals.answersOf(experiment, rows.map(evalIdsOf));
    return rows.slice(0, evals.length).map((row, index) => {
      const answers = (evals[index] ?? []).map((one) =>
        judge === undefined
          ? one
          : { ...one, results: withVerdicts(one.results, judge, markOf(experiment.id, row.rowNo)) },
      );
      return rowView(row, texts.get(row.rowNo), answers, command);
    });
  }
}

/** The mean of the rows so far times all rows, with Student's interval for the rows to come. */
function projectedCostOf({ state, done, failed, rowCount, cost, costSpread }: ExperimentWithRunning): Projected | null {
  const ended = done + failed;
  if ((state !== 'running' && state !== 'paused') || ended < MIN_ROWS_OF_COST) return null;
  const spent = Number(cost.toString());
  const usd = (spent / ended) * rowCount;
  const half =
    (tQuantile(ended - 1) * (costSpread ?? 0) * rowCount * Math.sqrt(1 - ended / rowCount)) / Math.sqrt(ended);
  return { usd: sixDigits(usd), ci: [sixDigits(Math.max(spent, usd - half)), sixDigits(usd + half)] };
}

/** The answer about an experiment that the user does not have. */
export function experimentNotFound(): ApiError {
  return new ApiError('not_found', { message: 'No experiment with this id exists.' });
}
