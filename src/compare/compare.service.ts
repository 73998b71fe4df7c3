import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService, type Reservation } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';
import { ModelsService, type PricedModel } from '../models/models.service';
import { FanOut } from './fan-out.service';
import { fillPrompt } from './prompt';
import { resultOf } from './receipt';
import { Settlement, type CompareOrder, type Run } from './settlement.service';

/** What happens in a run, in order: it starts, texts grow, results land, the eval stands. */
export type CompareEvent =
  | { type: 'eval-started'; evalId: string; models: string[] }
  | { type: 'delta'; model: string; text: string }
  | { type: 'result-ready'; result: Result }
  | { type: 'eval-done'; stored: StoredEval };

/** The run itself: name the models, promise, call all at once, write down, settle. The only place where the rooms meet. */
@Injectable()
export class CompareService implements OnModuleDestroy, BeforeApplicationShutdown {
  private running = 0;
  private stopping = false;
  private drained: () => void = () => undefined;

  constructor(
    private readonly models: ModelsService,
    private readonly billing: BillingService,
    private readonly fanOut: FanOut,
    private readonly settlement: Settlement,
    private readonly clock: Clock,
  ) {}

  /**
   * One run as a stream of events. Whoever starts it reads it to the end, so that a caller who hangs up loses nothing.
   * @throws ApiError unknown_model, payment_required, all_models_failed, unavailable while the service stops
   */
  async *run(caller: Caller, order: CompareOrder): AsyncGenerator<CompareEvent> {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
    this.running += 1;
    try {
      const startedAt = this.clock.now();
      const models = this.models.require(order.models, startedAt);
      const run = { caller, order, startedAt, begunMs: this.clock.monotonicMs(), evalId: newId('eval', startedAt) };
      yield* this.reserved(run, models, await this.billing.reserve(caller, models, startedAt));
    } finally {
      this.running -= 1;
      if (this.running === 0) this.drained();
    }
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Waits for the running evals; the database is closed only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => { this.drained = resolve; });
  }

  private async *reserved(run: Run, models: readonly PricedModel[], reservation: Reservation): AsyncGenerator<CompareEvent> {
    let settled = false;
    try {
      yield { type: 'eval-started', evalId: run.evalId, models: run.order.models };
      const results = yield* this.call(run, models);
      if (results.every(({ error }) => error !== null)) throw allFailed(results);
      const stored = await this.settlement.store(run, results, reservation);
      settled = true;
      yield { type: 'eval-done', stored };
    } finally {
      await this.billing.release(reservation, settled);
    }
  }

  private async *call({ order }: Run, models: readonly PricedModel[]): AsyncGenerator<CompareEvent, Result[]> {
    const results: Result[] = [];
    for await (const { position, event } of this.fanOut.run(models, fillPrompt(order.prompt, order.input), order.options)) {
      if (event.type === 'delta') {
        yield { type: 'delta', model: order.models[position] ?? '', text: event.text };
      } else {
        const result = resultOf(event.outcome, position);
        results[position] = result;
        yield { type: 'result-ready', result };
      }
    }
    return results;
  }
}

function allFailed(results: readonly Result[]): ApiError {
  return new ApiError('all_models_failed', { details: { models: results.map(({ model, error }) => ({ model, error })) } });
}
