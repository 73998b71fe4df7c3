import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { BillingService, type Reservation } from '../../billing/billing.service';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Money } from '../../common/money';
import { Eval } from '../../evals/eval.entity';
import { EvalsService, type StoredEval } from '../../evals/evals.service';
import { cheapest, fastest, totalCost } from '../../evals/ranking';
import type { Result } from '../../evals/result.entity';
import type { CompareSettings } from '../adapt-parameters';
import { SettlementBreakerService } from './settlement-breaker.service';
import { SettlementRetryService } from './settlement-retry.service';
import type { UnstoredEval } from './unstored-eval';

/** A compare as the caller asked for it, defaults filled in. */
export interface CompareCommand {
  prompt: string;
  input: string | undefined;
  models: string[];
  options: CompareSettings;
  /** Refuse when the most it can cost is above this. */
  maxCost?: Money | undefined;
  idempotencyKey?: string | undefined;
}

/** A run that is under way. */
export interface CompareRun {
  caller: Caller;
  order: CompareCommand;
  evalId: string;
  startedAt: Date;
  /** Start on the monotonic clock. */
  begunMs: number;
}

/** What stands after a run; a replay when it stood before. */
export interface CompareOutcome {
  stored: StoredEval;
  isReplay: boolean;
}

/** Writes a finished run down: eval, results and charge together, or nothing. */
@Injectable()
export class SettlementService {
  constructor(
    private readonly billing: BillingService,
    private readonly evals: EvalsService,
    private readonly clock: Clock,
    private readonly retry: SettlementRetryService,
    private readonly breaker: SettlementBreakerService,
  ) {}

  /** One statement turns the promise into a charge and stores the eval; it is tried again while the database is away and the run's time is not up. */
  async store(run: CompareRun, results: Result[], reservation: Reservation): Promise<CompareOutcome> {
    const attempt = (isRetry: boolean) => this.storeOrFind(run, results, reservation, isRetry);
    const unstored = () => ({ record: this.evalOf(run, results), results, reservation });
    return this.breaker.watch(run.caller.userId, () => this.retry.run(run.begunMs, attempt, unstored), () => this.rehearse(unstored()));
  }

  /** @throws ApiError unavailable while evals cannot be stored */
  refuseWhileFailing(): void {
    this.breaker.refuseWhileOpen();
  }

  /** Stores an eval that could not be stored at its time, unless it is there. */
  async replay({ record, results, reservation }: UnstoredEval): Promise<{ stored: StoredEval; isNew: boolean }> {
    const found = await this.evals.find(record, record.id);
    return { stored: found ?? await this.storeOnce(record, results, reservation), isNew: found === undefined };
  }

  private async storeOrFind(run: CompareRun, results: Result[], reservation: Reservation, isRetry: boolean): Promise<CompareOutcome> {
    try {
      return { stored: (await this.committedBefore(run, isRetry)) ?? await this.storeOnce(this.evalOf(run, results), results, reservation), isReplay: false };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // What an earlier try sent may have been committed only now, while this one waited for its locks.
      const stored = await this.committedBefore(run, isRetry);
      if (stored !== undefined) return { stored, isReplay: false };
      if (reservation.idempotency === undefined || !isKeyTaken(error)) throw error;
      // Our promise had run out and another run settled the same Idempotency-Key: its eval is the answer, and nothing is charged twice.
      const evalId = await this.billing.findReplay(run.caller, reservation.idempotency);
      return { stored: await this.evals.getForIdempotencyKey(run.caller, evalId ?? ''), isReplay: true };
    }
  }

  /** The eval of this run when an earlier try was committed and only the answer was lost. */
  private async committedBefore(run: CompareRun, isRetry: boolean): Promise<StoredEval | undefined> {
    return isRetry ? this.evals.find(run.caller, run.evalId) : undefined;
  }

  /** Stores an eval under another id and takes it back. @throws what storing it would throw */
  private async rehearse({ record, results, reservation }: UnstoredEval): Promise<void> {
    const id = newId('eval', record.createdAt);
    await this.storeOnce({ ...record, id }, results.map((result) => ({ ...result, evalId: id })), reservation, 'rehearse');
  }

  private async storeOnce(unsettled: UnstoredEval['record'], results: readonly Result[], reservation: Reservation, how: 'settle' | 'rehearse' = 'settle'): Promise<StoredEval> {
    const settled = { evalId: unsettled.id, startedAt: unsettled.createdAt, cost: unsettled.totalCost, results };
    let stored: StoredEval | undefined;
    await this.billing[how](reservation, settled, ({ charge, isFree }, gate) => {
      for (const result of results) result.details.charge = this.billing.chargeOf(result.cost, isFree).toString();
      stored = { record: Object.assign(new Eval(), unsettled, { charge, isFree }), results };
      return this.evals.storing(stored, gate);
    });
    if (stored === undefined) throw new Error('An eval was settled without being stored.');
    return stored;
  }

  private evalOf({ caller, order, evalId, startedAt, begunMs }: CompareRun, results: Result[]): Eval {
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

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

function isKeyTaken(error: unknown): boolean {
  return isUniqueViolation(error) && (error as { constraint?: unknown }).constraint === 'idempotency_keys_pkey';
}
