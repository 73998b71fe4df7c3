import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService, type Reservation } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { Eval } from '../evals/eval.entity';
import { EvalsService, type StoredEval } from '../evals/evals.service';
import { cheapest, fastest, totalCost } from '../evals/ranking';
import type { Result } from '../evals/result.entity';
import type { Options } from './parameters';

/** A compare as the caller asked for it, defaults filled in. */
export interface CompareOrder {
  prompt: string;
  input: string | undefined;
  models: string[];
  options: Options;
}

/** A run that is under way. */
export interface Run {
  caller: Caller;
  order: CompareOrder;
  evalId: string;
  startedAt: Date;
  /** Start on the monotonic clock. */
  begunMs: number;
}

/** Writes a finished run down: eval, results and charge together, or nothing. */
@Injectable()
export class Settlement {
  constructor(
    private readonly billing: BillingService,
    private readonly evals: EvalsService,
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** One short transaction turns the promise into a charge and stores the eval. */
  async store(run: Run, results: Result[], reservation: Reservation): Promise<StoredEval> {
    const record = this.evalOf(run, results);
    return this.em.fork().transactional(async (tx) => {
      const { charge, isFree } = await this.billing.settle(tx, reservation, record.id, record.totalCost);
      for (const result of results) result.details.charge = this.billing.chargeOf(result.cost, isFree).toString();
      const stored = { record: Object.assign(record, { charge, isFree }), results };
      await this.evals.record(tx, stored);
      return stored;
    });
  }

  private evalOf({ caller, order, evalId, startedAt, begunMs }: Run, results: Result[]): Eval {
    const record = Object.assign(new Eval(), {
      id: evalId,
      userId: caller.userId,
      prompt: order.prompt,
      input: order.input ?? null,
      models: order.models,
      temperature: order.options.temperature,
      maxTokens: order.options.maxTokens,
      totalCost: totalCost(results),
      fastestModel: fastest(results),
      cheapestModel: cheapest(results),
      createdAt: startedAt,
      durationMs: Math.round(this.clock.monotonicMs() - begunMs),
    });
    for (const result of results) result.evalId = evalId;
    return record;
  }
}
