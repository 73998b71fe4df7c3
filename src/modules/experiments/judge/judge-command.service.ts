import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { baseModelId } from '../../../common/model-arm';
import { DatasetsService } from '../../datasets/datasets.service';
import { ModelsService } from '../../models/models.service';
import { isSameModel } from '../../models/same-model';
import { storedCommand } from '../../runs/job-command';
import { isEnded, type RubricCheck } from '../experiment.entity';
import type { ExperimentCommand } from '../experiment.types';
import type { EstimateExperimentRequest } from '../experiments.dto';
import { ExperimentsService } from '../experiments.service';
import type { JudgeRequest } from './judge.dto';
import { JUDGE_SETTINGS } from './judge-prompt';
import type { JudgeSpec } from './judge-spec';

/** More models have too many pairs. */
const MAX_PAIRED_MODELS = 5;
/** A model in a list, as an error of `ModelsService` names it. */
const PLACE = /^models\[(\d+)\]/;
const NOT_OF_JUDGES = ['dataset', 'limit', 'prompt', 'models', 'options', 'checks'] as const;

/** Makes the commands of experiments, and of their judges. */
@Injectable()
export class JudgeCommandService {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly datasets: DatasetsService,
    private readonly models: ModelsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The experiment that a request asks for. @throws ApiError not_found, conflict for answers that cannot be judged,
   * judge_not_neutral, unknown_model, invalid_request
   */
  async commandOf(
    caller: Caller,
    request: Omit<EstimateExperimentRequest, 'max_cost_usd'>,
  ): Promise<ExperimentCommand> {
    const { judge } = request;
    if (judge === undefined) return this.withRubrics(request);
    const foreign = NOT_OF_JUDGES.find((name) => request[name] !== undefined);
    if (foreign !== undefined) throw refused(`${foreign} must be left out beside judge.`, foreign);
    const { experiment, command, running } = await this.experiments.get(caller, judge.of);
    if (experiment.spec.judge !== undefined)
      throw refused('judge.of is an experiment of judges; its verdicts are not judged again.', 'judge.of');
    // Rows of a canceled one may still run, and would be judged as if they had no answer.
    if (!isEnded(experiment) || running > 0 || experiment.nextNo === 0)
      throw conflict('Only an experiment that has ended with answers and was not erased can be judged.');
    await this.datasets.find(caller.userId, experiment.datasetId).catch(() => {
      throw conflict('The data set of the judged experiment was deleted.');
    });
    const spec = specOf(judge, command.models, experiment.nextNo);
    this.refusePartial(judge.models, command.models, 'judge.models');
    return { ...request.terms(), ...judging(spec, judge.models), datasetId: experiment.datasetId };
  }

  /** @throws ApiError judge_not_neutral, unknown_model, invalid_request */
  private async withRubrics(request: Omit<EstimateExperimentRequest, 'max_cost_usd'>): Promise<ExperimentCommand> {
    const command = request.toCommand();
    for (const [position, check] of (request.checks ?? []).entries()) {
      if (check.type !== 'rubric') continue;
      const param = `checks[${position}].judge`;
      this.refusePartial([check.judge], command.command.models, param);
      await renamingModels(
        () => this.models.require([check.judge], this.clock.now()),
        () => param,
      );
    }
    return command;
  }

  /** A judge is not among the judged, also not with another effort or under another id. */
  private refusePartial(judges: readonly string[], judged: readonly string[], param: string): void {
    const modelOf = (id: string) => this.models.all().find((model) => model.id === baseModelId(id));
    const others = judged.flatMap((id) => modelOf(id) ?? []);
    const partial = judges.find((id) => {
      const judge = modelOf(id);
      return (
        judge !== undefined && others.some((other) => other.id === judge.id || isSameModel(judge.vendorModel, other))
      );
    });
    if (partial === undefined) return;
    throw new ApiError('judge_not_neutral', {
      message: `${partial} is among the judged models; choose a judge that is not.`,
      param,
    });
  }
}

/** The command of an experiment of judges, without its terms. */
export function judging(judge: JudgeSpec, models: string[]): Pick<ExperimentCommand, 'command' | 'spec'> {
  const command = { prompt: '{input}', input: undefined, models, samples: 1, options: JUDGE_SETTINGS, checks: [] };
  return { command, spec: { command: storedCommand(command), options: undefined, limit: null, judge } };
}

/** The judge of a rubric check, for all rows of its experiment. */
export function rubricSpec(
  { criterion, scale = 'pass_fail' }: Pick<RubricCheck, 'criterion' | 'scale'>,
  of: string,
  judged: string[],
  rows: number,
): JudgeSpec {
  return { of, kind: 'rubric', criterion, scale, judged, baseline: null, rows };
}

function specOf(judge: JudgeRequest, judged: string[], rowCount: number): JudgeSpec {
  const rows = Math.min(judge.rows ?? rowCount, rowCount);
  const problem = problemOf(judge, judged);
  if (problem !== undefined) throw problem;
  if (judge.kind === 'rubric') return rubricSpec(judge, judge.of, judged, rows);
  const { of, kind, criterion, baseline = null } = judge;
  return { of, kind, criterion, scale: null, judged, baseline, rows };
}

function problemOf({ kind, scale, baseline }: JudgeRequest, judged: readonly string[]): ApiError | undefined {
  if (kind === 'rubric')
    return baseline === undefined
      ? undefined
      : refused('judge.baseline is for pairwise; a rubric judges each answer alone.', 'judge.baseline');
  if (scale !== undefined)
    return refused('judge.scale is for a rubric; of a pair one answer wins, or none.', 'judge.scale');
  if (judged.length < 2) return refused('judge.kind must be rubric: only one model was asked.', 'judge.kind');
  if (baseline === undefined && judged.length > MAX_PAIRED_MODELS)
    return refused(
      `judge.baseline is required for more than ${MAX_PAIRED_MODELS} models; every other is compared with it.`,
      'judge.baseline',
    );
  if (baseline === undefined || judged.includes(baseline)) return undefined;
  return refused(`judge.baseline must be one of ${judged.join(', ')}.`, 'judge.baseline');
}

function conflict(message: string): ApiError {
  return new ApiError('conflict', { message, param: 'judge.of' });
}

function refused(message: string, param: string): ApiError {
  return new ApiError('invalid_request', { message, param });
}

/** Does some work, whose errors name a model of a request by its place there, which `nameOf` says. @throws ApiError */
export async function renamingModels<T>(work: () => T | Promise<T>, nameOf: (index: string) => string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === undefined) throw error;
    const renamed = (text: string) => text.replace(PLACE, (_, index: string) => nameOf(index));
    const { code, message, param, details } = error;
    throw new ApiError(code, { message: renamed(message), param: renamed(param), details });
  }
}
