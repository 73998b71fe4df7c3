import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../../common/errors';
import { EvalsService } from '../../evals/evals.service';
import { isEnded, isErased } from '../experiment.entity';
import type { ExperimentView } from '../experiment.types';
import { ExperimentsRepository } from '../experiments.repository';
import { ExperimentsService } from '../experiments.service';
import type { ComparisonQuestion, ExperimentRows } from './comparison';
import type { ExperimentComparisonDto, ResponseModelsDto } from './comparison.dto';
import { mergeAttempts } from './merge-figures';
import { changedMembers } from './changed-members';
import { SummaryInput } from './summary-input';
import { judgedRowsBegun, type JudgeSpec } from '../judge/judge-spec';
import { judgedBy, VerdictsService } from '../judge/verdicts.service';
import { WITHOUT_VOTES } from '../experiment-columns';
import { recommend, unfitJudgeOf } from './recommendation';
import type { ExperimentFiguresDto, ExperimentSummaryDto } from './summary.dto';
import { SummaryTasksService } from './summary-tasks.service';

const PAGE_ROWS = 500;
/** How long the summary of a running experiment is shown again, in milliseconds. */
const MAX_AGE_MS = 5000;
const MAX_CACHED = 100;
/** The number of rows of which the answering models are listed. */
const LISTED_ROWS = 500;

/** Summarizes and compares experiments, in the thread pool. */
@Injectable()
export class SummariesService {
  private readonly log = new Logger(SummariesService.name);
  private readonly recent = new LRUCache<string, Promise<ExperimentFiguresDto>>({ max: MAX_CACHED, ttl: MAX_AGE_MS });

  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly evals: EvalsService,
    private readonly tasks: SummaryTasksService,
    private readonly experiments: ExperimentsService,
    private readonly verdicts: VerdictsService,
  ) {}

  /**
   * The summary of an experiment: of its rows so far, at most once in 5 seconds, or of all of them. @throws ApiError
   * rate_limited, overloaded
   */
  async summary(userId: string, view: ExperimentView): Promise<ExperimentFiguresDto> {
    const { id, summary } = view.experiment;
    // One of an earlier version lacks some figures, and can be computed again as long as the rows exist.
    if (summary !== null && (isErased(view.experiment) || isComplete(summary as ExperimentFiguresDto)))
      return { ...(summary as ExperimentFiguresDto), judgment: (summary as ExperimentFiguresDto).judgment ?? null };
    // A paused one changes no more, so the last answer about it must not be an old one.
    const isRunning = view.experiment.state === 'running';
    const recent = isRunning ? this.recent.get(id) : undefined;
    if (recent !== undefined) return recent;
    const computed = this.tasks.inTurn(userId, () => this.compute(userId, view));
    if (!isRunning) return computed;
    this.recent.set(id, computed);
    computed.catch(() => this.recent.delete(id));
    return computed;
  }

  /**
   * The summary with the model to take and the results of judges. Where no check decided anything, the latest judge
   * does that passed its examination, or else the latest one. @throws ApiError rate_limited, overloaded
   */
  async withRecommendation(userId: string, view: ExperimentView, tolerance: number): Promise<ExperimentSummaryDto> {
    const figures = await this.summary(userId, view);
    const judges = await Promise.all(
      (await this.verdicts.of(view)).map(async (judge) => ({
        judge,
        judged:
          isEnded(judge) || isErased(judge) ? await this.summary(userId, this.experiments.viewOf(judge)) : undefined,
      })),
    );
    const ended = judges.flatMap(({ judged }) => (judged?.final ? [judged] : []));
    const fit = ended.find((one) => unfitJudgeOf(one) === undefined);
    const deciding = figures.ranking === null ? (fit ?? ended[0]) : undefined;
    return {
      ...figures,
      headline: (deciding ?? figures).headline,
      recommendation: recommend(deciding ?? figures, tolerance),
      judged_by: judges.map(({ judge, judged }) => judgedBy(judge, judged)),
    };
  }

  /**
   * Keeps the summary of an experiment that has ended, so that it outlives the texts. Never throws: it can be computed
   * later, as long as they exist.
   */
  async keepFinal(userId: string, id: string): Promise<void> {
    try {
      const view = await this.experiments.get({ userId }, id);
      if (isFinalOf(view) && !isErased(view.experiment)) await this.summary(userId, view);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'not_found'))
        this.log.warn(`The summary of ${id} cannot be kept now: ${String(error)}`);
    }
  }

  /**
   * Compares an experiment with a later one, row by row. @throws ApiError not_comparable without a common row or model,
   * rate_limited, overloaded
   */
  async comparison(
    userId: string,
    [before, after]: [before: ExperimentView, after: ExperimentView],
    question: ComparisonQuestion,
  ): Promise<ExperimentComparisonDto> {
    return this.tasks.inTurn(userId, async () => {
      const options = {
        ...question,
        isFinal: isFinalOf(before) && isFinalOf(after),
        requestChanged: changedMembers(before.command, after.command),
        responseModels: await this.responseModels(before, after),
      };
      const comparison = await this.tasks.run<ExperimentComparisonDto | undefined>(userId, {
        kind: 'comparison',
        before: await this.rowsOf(before),
        after: await this.rowsOf(after),
        options,
      });
      if (comparison === undefined) throw new ApiError('not_comparable');
      return comparison;
    });
  }

  /** The models that answered in the first rows, as the vendors name them. */
  async answeringModels({ experiment }: ExperimentView): Promise<Map<string, string[]>> {
    return this.evals.answeringModels(experiment, await this.repository.evalIds(experiment.id, LISTED_ROWS));
  }

  private async compute(userId: string, view: ExperimentView): Promise<ExperimentFiguresDto> {
    const { experiment } = view;
    const isFinal = isFinalOf(view);
    const { judge } = experiment.spec;
    const { version, ...task } = await (judge === undefined ? this.taskOf(view) : this.judgmentTaskOf(view, judge));
    const summary = await this.tasks.run<ExperimentFiguresDto>(userId, {
      experimentId: experiment.id,
      isFinal,
      ...task,
    });
    if (isFinal) await this.repository.keepSummary(experiment, summary, version);
    return summary;
  }

  private async taskOf(view: ExperimentView) {
    const { columns } = await this.rowsOf(view);
    return {
      ...{ kind: 'summary' as const, columns, version: WITHOUT_VOTES },
      rowCountOfDataset: view.experiment.rowCount,
      temperature: view.command.options.temperature,
    };
  }

  /** The rows of the judged experiment of which a judgment was begun. */
  private async judgmentTaskOf(view: ExperimentView, judge: JudgeSpec) {
    const version = await this.verdicts.votesVersion(view.experiment.id);
    const judged = await this.experiments.get(view.experiment, judge.of);
    const rowCount = Math.min(judge.rows, judgedRowsBegun(judge, view.experiment.nextNo));
    const { columns } = await this.rowsOf(judged, rowCount);
    return {
      ...{ kind: 'judgment' as const, columns, version, rowCountOfDataset: judge.rows, temperature: 0 },
      ...(await this.verdicts.read(view, judge, columns.rowCount)),
    };
  }

  private async rowsOf(
    { experiment: { id, rowCount, nextNo }, command: { models, checks, samples } }: ExperimentView,
    toNo = nextNo,
  ): Promise<ExperimentRows> {
    const input = new SummaryInput({ models, checkNames: checks.map(({ name }) => name), samples, capacity: rowCount });
    const [rowIds, contentHashes]: [string[], string[]] = [[], []];
    for (let fromNo = 0; fromNo < toNo; fromNo += PAGE_ROWS) {
      const end = Math.min(fromNo + PAGE_ROWS, toNo);
      const rows = mergeAttempts(await this.repository.figures(id, fromNo, end), models.length);
      input.add(rows);
      for (const { rowId, content } of rows) {
        rowIds.push(rowId);
        contentHashes.push(content);
      }
    }
    return { experimentId: id, columns: input.columns(), rowIds, contentHashes };
  }

  private async responseModels(before: ExperimentView, after: ExperimentView): Promise<ResponseModelsDto[]> {
    const [earlier, later] = await Promise.all([before, after].map((view) => this.answeringModels(view)));
    return after.command.models.map((model) => ({
      model,
      before: earlier?.get(model) ?? [],
      after: later?.get(model) ?? [],
    }));
  }
}

/** True if nothing of an experiment runs any more. */
function isFinalOf({ experiment: { state }, running }: ExperimentView): boolean {
  return state !== 'running' && state !== 'paused' && running === 0;
}

function isComplete({ models }: ExperimentFiguresDto): boolean {
  return models.every((model) => 'cost_per_passed' in model);
}
