import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { ModelsService } from '../models/models.service';
import { EvalsService } from '../evals/evals.service';
import { projectModel, type ModelProjection, type ProjectionOptions } from './projection';

export interface EvalProjection extends ProjectionOptions {
  evalId: string;
  models: ModelProjection[];
}

/**
 * Projects the cost of an eval's models to a month, at today's prices and at those the catalog already knows. Calls no
 * model and stores nothing.
 */
@Injectable()
export class ProjectionService {
  constructor(
    private readonly evals: EvalsService,
    private readonly models: ModelsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError not_found as `EvalsService.get` does */
  async project(caller: Caller, id: string, callsPerMonth: number): Promise<EvalProjection> {
    const { record, results } = await this.evals.get(caller, id);
    const [options, now] = [{ callsPerMonth, margin: this.config.BILLING_MARGIN }, this.clock.now()];
    return {
      evalId: id,
      ...options,
      models: record.models.map((model) => projectModel(model, results, this.models.priceSteps(model, now), options)),
    };
  }
}
