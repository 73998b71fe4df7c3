import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import type { Inclusions } from '../http/include.dto';
import { compareAnswers, type AnswerAgreement } from '../statistics/answer-comparison';
import { ComputationsService } from './computations.service';
import { answersOf, roundsOf, statisticsOf, type EvalStatistics } from './eval-statistics';
import { EvalDto } from './eval.dto';
import { EvalsService, type StoredEval } from '../evals/evals.service';

/** The computed parts of an eval; calls no model. */
@Injectable()
export class EvalStatisticsService {
  constructor(
    private readonly evals: EvalsService,
    private readonly computations: ComputationsService,
  ) {}

  /** An eval in an answer, with the requested parts. */
  async present(stored: StoredEval, include: Inclusions): Promise<EvalDto> {
    return EvalDto.from(stored, include, include.statistics === true ? await this.statistics(stored) : undefined);
  }

  /** Returns the caller's eval with this id for an answer. @throws ApiError not_found as `EvalsService.get`; rate_limited */
  async get(caller: Caller, id: string, include: Inclusions): Promise<EvalDto> {
    const load = async () => this.present(await this.evals.get(caller, id), include);
    return include.statistics === true ? this.computations.inTurn(caller.userId, load) : load();
  }

  /** How far the models of the caller's eval agree. @throws ApiError not_found as `EvalsService.get`; rate_limited */
  async agreement(caller: Caller, id: string): Promise<AnswerAgreement> {
    return this.computations.inTurn(caller.userId, async () => this.agreementOf(await this.evals.get(caller, id)));
  }

  /** How far the models of an eval agree. */
  async agreementOf({ record, results }: StoredEval): Promise<AnswerAgreement> {
    return this.computations.compute(compareAnswers(answersOf(roundsOf(record.models, results))));
  }

  /** The statistics of an eval's samples. */
  async statistics(stored: StoredEval): Promise<EvalStatistics> {
    return this.computations.compute(statisticsOf(stored));
  }
}
