import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { ApiError } from '../../common/errors';
import { ComparisonsService } from './comparisons.service';
import {
  answeredCalls,
  bothOf,
  callsOf,
  changedRequest,
  commonChecks,
  compareFigures,
  type Calls,
  type FigureDrift,
} from './drift';
import type { AnswerDrift, Answers } from '../statistics/answer-pairs';
import { testDrift, type DriftTests } from './drift-significance';
import { EvalsService, type StoredEval } from '../evals/evals.service';

export type ModelDrift = FigureDrift & AnswerDrift & DriftTests & { model: string };

export interface EvalDrift {
  evalId: string;
  against: string;
  /** Members of the request that differ, such as `options.temperature`. */
  requestChanged: string[];
  models: ModelDrift[];
  onlyBefore: string[];
  onlyAfter: string[];
}

/**
 * Compares an eval with an earlier one of the same user, by default with the original of a rerun. Calls no model and
 * stores nothing.
 */
@Injectable()
export class DriftService {
  constructor(
    private readonly evals: EvalsService,
    private readonly comparisons: ComparisonsService,
  ) {}

  /**
   * @throws ApiError not_found for either eval, invalid_request where there is nothing to compare with; rate_limited
   */
  async compare(caller: Caller, id: string, against: string | undefined): Promise<EvalDrift> {
    return this.comparisons.inTurn(caller.userId, () => this.load(caller, id, against));
  }

  private async load(caller: Caller, id: string, against: string | undefined): Promise<EvalDrift> {
    const after = await this.evals.get(caller, id);
    const before = await this.findEarlier(caller, after, against);
    const [earlier, later] = [before.record.models, after.record.models];
    const models = later.filter((model) => earlier.includes(model));
    if (models.length === 0)
      throw new ApiError('invalid_request', { message: 'The two evals have no model in common.', param: 'against' });
    return {
      evalId: id,
      against: before.record.id,
      requestChanged: changedRequest(before.record, after.record),
      models: await this.compareModels(models, before, after),
      onlyBefore: earlier.filter((model) => !later.includes(model)),
      onlyAfter: later.filter((model) => !earlier.includes(model)),
    };
  }

  private async findEarlier(caller: Caller, { record }: StoredEval, against: string | undefined): Promise<StoredEval> {
    const id = against ?? record.rerunOf;
    if (id === null)
      throw new ApiError('invalid_request', {
        message: 'against is required, because this eval is not a rerun of another.',
        param: 'against',
      });
    if (id === record.id)
      throw new ApiError('invalid_request', {
        message: 'against must be another eval than the one in the path.',
        param: 'against',
      });
    const before = await this.evals.find(caller, id);
    if (before !== undefined) return before;
    throw new ApiError('not_found', {
      message:
        against === undefined
          ? 'The eval that this one re-ran was erased; name another one in against.'
          : 'No eval with this id exists.',
      param: 'against',
    });
  }

  private async compareModels(models: readonly string[], before: StoredEval, after: StoredEval): Promise<ModelDrift[]> {
    const checks = commonChecks(before, after);
    const calls = models.map((model) => callsOf(model, before, after));
    const answers = await this.comparisons.pair(after.record.userId, calls.map(textsOf));
    const tests = testDrift(calls, checks);
    return calls.flatMap((ofModel, index) => {
      const [model, answer, test] = [models[index], answers[index], tests[index]];
      return model === undefined || answer === undefined || test === undefined
        ? []
        : [{ model, ...compareFigures(ofModel, checks), ...answer, ...test }];
    });
  }
}

function textsOf(calls: Calls): Answers {
  return bothOf(answeredCalls(calls), (results) => results.map(({ output }) => output));
}
