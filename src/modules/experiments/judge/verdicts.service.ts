import { Injectable } from '@nestjs/common';
import { EvalsService } from '../../evals/evals.service';
import { ModelsService } from '../../models/models.service';
import { baseModelId } from '../../../common/model-arm';
import type { ExperimentView } from '../experiment.types';
import type { Experiment, ExperimentWithRunning } from '../experiment.entity';
import { ExperimentsRepository } from '../experiments.repository';
import { FIGURE_INDEX, figuresWidth } from '../summary/figures';
import { mergeAttempts } from '../summary/merge-figures';
import { VotesRepository } from '../votes/votes.repository';
import { readCommand } from '../../runs/job-command';
import type { ExperimentFiguresDto } from '../summary/summary.dto';
import type { JudgedByDto } from './judge-summary.dto';
import { UNREADABLE, type JudgeSpec } from './judge-spec';
import { JudgesRepository } from './judges.repository';
import type { JudgmentTask, JudgeScores } from './judgment-task';

const PAGE_ROWS = 500;

/** Reads what judges said. */
@Injectable()
export class VerdictsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly judges: JudgesRepository,
    private readonly votes: VotesRepository,
    private readonly models: ModelsService,
    private readonly evals: EvalsService,
  ) {}

  /** The part of the summary's task that an experiment of judges has besides the columns of the judged experiment. */
  async read(
    { experiment, command }: ExperimentView,
    spec: JudgeSpec,
    rowCount: number,
  ): Promise<Pick<JudgmentTask, 'spec' | 'vendors' | 'judges' | 'lengths' | 'votes'>> {
    const { id, userId, nextNo } = experiment;
    return {
      spec,
      vendors: spec.judged.map((model) => this.vendorOf(model)),
      judges: await this.scoresOf(id, command.models, nextNo),
      lengths: await this.lengthsOf(userId, spec, rowCount),
      votes: await this.votes.list(id),
    };
  }

  /** The experiments of judges of an experiment, newest first. */
  async of({ experiment: { userId, id, spec } }: ExperimentView): Promise<ExperimentWithRunning[]> {
    return spec.judge === undefined ? this.judges.of(userId, id) : [];
  }

  /** Changes with every vote. */
  async votesVersion(id: string): Promise<string> {
    return this.votes.version(id);
  }

  private async scoresOf(id: string, models: readonly string[], nextNo: number): Promise<JudgeScores[]> {
    const judges = models.map((model) => ({
      model,
      vendor: this.vendorOf(model),
      scores: new Float64Array(new SharedArrayBuffer(8 * nextNo)).fill(NaN),
    }));
    const width = figuresWidth(0);
    for (let from = 0; from < nextNo; from += PAGE_ROWS)
      for (const { rowNo, figures } of mergeAttempts(
        await this.repository.figures(id, from, from + PAGE_ROWS),
        models.length,
      ))
        for (const [index, { scores }] of judges.entries()) {
          const at = (figure: 'answered' | 'score') => figures?.[index * width + FIGURE_INDEX[figure]] ?? NaN;
          if (at('answered') > 0) scores[rowNo] = Number.isNaN(at('score')) ? UNREADABLE : at('score');
        }
    return judges;
  }

  private async lengthsOf(userId: string, spec: JudgeSpec, rowCount: number): Promise<Float64Array[]> {
    const lengths = spec.judged.map(() => new Float64Array(new SharedArrayBuffer(8 * rowCount)).fill(NaN));
    for (let from = 0; from < rowCount; from += PAGE_ROWS) {
      const evals = await this.judges.evals(spec, from, Math.min(from + PAGE_ROWS, rowCount));
      const found = await this.evals.answerLengths(
        { userId },
        evals.map(({ evalId }) => evalId),
      );
      const byEval = Map.groupBy(found, ({ evalId }) => evalId);
      for (const { rowNo, evalId } of evals)
        for (const { model, length } of byEval.get(evalId) ?? []) {
          const own = lengths[spec.judged.indexOf(model)];
          if (own !== undefined) own[rowNo] = length;
        }
    }
    return lengths;
  }

  private vendorOf(id: string): string {
    return this.models.all().find((model) => model.id === baseModelId(id))?.provider ?? `the vendor of ${id}`;
  }
}

/** The results of an experiment of judges, for the summary of the judged one. `figures` are undefined before its end. */
export function judgedBy(
  { id, name, state, spec }: Experiment,
  figures: ExperimentFiguresDto | undefined,
): JudgedByDto {
  return {
    experiment_id: id,
    name,
    kind: spec.judge?.kind ?? 'rubric',
    state,
    models: readCommand(spec.command).models,
    judged: (figures?.models ?? []).flatMap(({ model, passed, score }) => {
      if (passed !== null) return [{ model, rate: passed.rate, ci: passed.ci }];
      return score === null ? [] : [{ model, rate: score.mean, ci: score.ci }];
    }),
    headline: figures?.headline ?? null,
  };
}
