import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService, type Reservation } from '../billing/billing.service';
import { Clock } from '../common/clock';
import type { Money } from '../common/money';
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
  /** Refuse when the most it can cost is above this. */
  maxCost?: Money | undefined;
  idempotencyKey?: string | undefined;
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

/** What stands after a run; a replay when it stood before. */
export interface Stored {
  stored: StoredEval;
  isReplay: boolean;
}

/** Writes a finished run down: eval, results and charge together, or nothing. */
@Injectable()
export class Settlement {
  constructor(
    private readonly billing: BillingService,
    private readonly evals: EvalsService,
    private readonly clock: Clock,
  ) {}

  /** One statement turns the promise into a charge and stores the eval. */
  async store(run: Run, results: Result[], reservation: Reservation): Promise<Stored> {
    try {
      return { stored: await this.storeOnce(run, results, reservation), isReplay: false };
    } catch (error) {
      if (reservation.idempotency === undefined || !isKeyTaken(error)) throw error;
      // Our promise had run out and another run settled the same Idempotency-Key: its eval is the answer, and nothing is charged twice.
      const evalId = await this.billing.findReplay(run.caller, reservation.idempotency);
      return { stored: await this.evals.recall(run.caller, evalId ?? ''), isReplay: true };
    }
  }

  private async storeOnce(run: Run, results: Result[], reservation: Reservation): Promise<StoredEval> {
    const record = this.evalOf(run, results);
    const settled = { evalId: record.id, startedAt: run.startedAt, cost: record.totalCost, results };
    const stored = { record, results };
    await this.billing.settle(reservation, settled, ({ charge, isFree }, gate) => {
      Object.assign(record, { charge, isFree });
      for (const result of results) result.details.charge = this.billing.chargeOf(result.cost, isFree).toString();
      return this.evals.storing(stored, gate);
    });
    return stored;
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

function isKeyTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'idempotency_keys_pkey';
}
