import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import type { Inclusions } from '../../platform/http/include.dto';
import type { AnswerAgreement } from '../statistics/answer-comparison';
import { ComparisonsService } from './comparisons.service';
import { answersOf, statisticsOf, type EvalStatistics } from './eval-statistics';
import { EvalDto } from './eval.dto';
import { EvalsService, type StoredEval } from '../evals/evals.service';
import { ModelsService } from '../models/models.service';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { projectModel, type EvalProjection } from './projection';

/** The computed parts of an eval; calls no model. */
@Injectable()
export class EvalStatisticsService {
  constructor(
    private readonly evals: EvalsService,
    private readonly comparisons: ComparisonsService,
    private readonly models: ModelsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** An eval in an answer, with the requested parts. */
  async present(stored: StoredEval, include: Inclusions): Promise<EvalDto> {
    return EvalDto.from(
      stored,
      include,
      include.statistics === true ? await this.statistics(stored.record.userId, stored) : undefined,
    );
  }

  /**
   * Returns the caller's eval with this id for an answer. @throws ApiError not_found as `EvalsService.get`;
   * rate_limited
   */
  async get(caller: Caller, id: string, include: Inclusions): Promise<EvalDto> {
    const load = async () => this.present(await this.evals.get(caller, id), include);
    return include.statistics === true ? this.comparisons.inTurn(caller.userId, load) : load();
  }

  /** How far the models of the caller's eval agree. @throws ApiError not_found as `EvalsService.get`; rate_limited */
  async agreement(caller: Caller, id: string): Promise<AnswerAgreement> {
    return this.comparisons.inTurn(caller.userId, async () =>
      this.comparisons.compare(caller.userId, answersOf(await this.evals.get(caller, id))),
    );
  }

  /**
   * Projects the cost of an eval's models to a month, at today's prices and at those the catalog already knows.
   * @throws ApiError not_found as `EvalsService.get`
   */
  async project(caller: Caller, id: string, callsPerMonth: number): Promise<EvalProjection> {
    const { record, results } = await this.evals.get(caller, id);
    const [options, now] = [{ callsPerMonth, margin: this.config.BILLING_MARGIN }, this.clock.now()];
    return {
      evalId: id,
      ...options,
      models: record.models.map((model) => projectModel(model, results, this.models.priceSteps(model, now), options)),
    };
  }

  async both(
    fairnessKey: string,
    stored: StoredEval,
  ): Promise<{ statistics: EvalStatistics; agreement: AnswerAgreement }> {
    return {
      statistics: await this.statistics(fairnessKey, stored),
      agreement: await this.comparisons.compare(fairnessKey, answersOf(stored)),
    };
  }

  private async statistics(fairnessKey: string, stored: StoredEval): Promise<EvalStatistics> {
    return statisticsOf(stored, await this.comparisons.compareOwn(fairnessKey, answersOf(stored)));
  }
}
