import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ComparisonsService } from '../../analysis/comparisons.service';
import { ThreadPoolService } from '../../../platform/background/thread-pool.service';
import { ApiError } from '../../../common/errors';
import { EvalsService } from '../../evals/evals.service';
import { isErased } from '../experiment.entity';
import type { ExperimentView } from '../experiment.types';
import { ExperimentsRepository } from '../experiments.repository';
import { ExperimentsService } from '../experiments.service';
import type { ComparisonQuestion, ExperimentRows } from './comparison';
import type { ExperimentComparisonDto, ResponseModelsDto } from './comparison.dto';
import { mergeAttempts } from './merge-figures';
import { changedMembers } from './changed-members';
import { SummaryInput } from './summary-input';
import type { ExperimentFiguresDto } from './summary.dto';
import type { ExperimentTask } from './summary.worker';

const FILE = join(__dirname, 'summary.worker.js');
const PAGE_ROWS = 500;
/** Longer than 100,000 rows of 8 models take on a busy machine. */
const MAX_RUN_MS = 60_000;
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
    private readonly threads: ThreadPoolService,
    private readonly comparisons: ComparisonsService,
    private readonly experiments: ExperimentsService,
  ) {}

  /**
   * The summary of an experiment: of its rows so far, at most once in 5 seconds, or of all of them. @throws ApiError
   * rate_limited, overloaded
   */
  async summary(userId: string, view: ExperimentView): Promise<ExperimentFiguresDto> {
    const { id, summary } = view.experiment;
    // One of an earlier version lacks some figures, and can be computed again as long as the rows exist.
    if (summary !== null && (isErased(view.experiment) || isComplete(summary as ExperimentFiguresDto)))
      return summary as ExperimentFiguresDto;
    // A paused one changes no more, so the last answer about it must not be an old one.
    const isRunning = view.experiment.state === 'running';
    const recent = isRunning ? this.recent.get(id) : undefined;
    if (recent !== undefined) return recent;
    const computed = this.comparisons.inTurn(userId, () => this.compute(userId, view));
    if (!isRunning) return computed;
    this.recent.set(id, computed);
    computed.catch(() => this.recent.delete(id));
    return computed;
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
    return this.comparisons.inTurn(userId, async () => {
      const options = {
        ...question,
        isFinal: isFinalOf(before) && isFinalOf(after),
        requestChanged: changedMembers(before.command, after.command),
        responseModels: await this.responseModels(before, after),
      };
      const comparison = await this.run<ExperimentComparisonDto | undefined>(userId, {
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
    const { experiment, command } = view;
    const isFinal = isFinalOf(view);
    const { columns } = await this.rowsOf(view);
    const summary = await this.run<ExperimentFiguresDto>(userId, {
      kind: 'summary',
      experimentId: experiment.id,
      columns,
      isFinal,
      rowCountOfDataset: experiment.rowCount,
      temperature: command.options.temperature,
    });
    if (isFinal) await this.repository.keepSummary(experiment.id, experiment.finishedAt, summary);
    return summary;
  }

  private async run<T>(userId: string, input: ExperimentTask): Promise<T> {
    return this.threads.run<T>(userId, {
      file: FILE,
      input,
      warmUp: { kind: 'start' } satisfies ExperimentTask,
      timeoutMs: MAX_RUN_MS,
    });
  }

  private async rowsOf({
    experiment: { id, rowCount, nextNo },
    command: { models, checks, samples },
  }: ExperimentView): Promise<ExperimentRows> {
    const input = new SummaryInput({ models, checkNames: checks.map(({ name }) => name), samples, capacity: rowCount });
    const [rowIds, contentHashes]: [string[], string[]] = [[], []];
    for (let fromNo = 0; fromNo < nextNo; fromNo += PAGE_ROWS) {
      const rows = mergeAttempts(await this.repository.figures(id, fromNo, fromNo + PAGE_ROWS), models.length);
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
