import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService, type Reservation } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import { FanOut } from './fan-out.service';
import { Admission, type Admitted } from './admission.service';
import { resultOf } from './receipt';
import { Settlement, type CompareOrder, type Run } from './settlement.service';

/** What happens in a run, in order: it starts, texts grow, results land, the eval stands; or it stood already. */
export type CompareEvent =
  | { type: 'eval-started'; evalId: string; models: string[] }
  | { type: 'delta'; model: string; text: string }
  | { type: 'result-ready'; result: Result }
  | { type: 'eval-done'; stored: StoredEval; isReplay: boolean };

/** The run itself: admit, promise, call all at once, write down, settle. The only place where the rooms meet. */
@Injectable()
export class CompareService implements OnModuleDestroy, BeforeApplicationShutdown {
  private running = 0;
  private stopping = false;
  private drained: () => void = () => undefined;

  constructor(
    private readonly admission: Admission,
    private readonly billing: BillingService,
    private readonly fanOut: FanOut,
    private readonly settlement: Settlement,
    private readonly clock: Clock,
  ) {}

  /**
   * One run as a stream of events. Whoever starts it reads it to the end, so that a caller who hangs up loses nothing.
   * @throws ApiError what `Admission` and `BillingService.reserve` refuse, all_models_failed, unavailable while the service stops
   */
  async *run(caller: Caller, order: CompareOrder): AsyncGenerator<CompareEvent> {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
    this.admission.refuseAbove(this.running);
    this.running += 1;
    try {
      const replayed = await this.admission.findReplay(caller, order);
      if (replayed !== undefined) {
        yield { type: 'eval-done', stored: replayed, isReplay: true };
        return;
      }
      const startedAt = this.clock.now();
      const run = { caller, order, startedAt, begunMs: this.clock.monotonicMs(), evalId: newId('eval', startedAt) };
      const admitted = this.admission.admit(caller, order, startedAt);
      yield* this.reserved(run, admitted, await this.billing.reserve(caller, admitted.need));
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

  private async *reserved(run: Run, { models, prompt }: Admitted, reservation: Reservation): AsyncGenerator<CompareEvent> {
    let settled = false;
    try {
      yield { type: 'eval-started', evalId: run.evalId, models: run.order.models };
      const results = yield* this.call(run, models, prompt);
      if (results.every(({ error }) => error !== null)) throw allFailed(results);
      const done = await this.settlement.store(run, results, reservation);
      settled = !done.isReplay;
      yield { type: 'eval-done', ...done };
    } finally {
      await this.billing.release(reservation, settled);
    }
  }

  private async *call({ order }: Run, models: readonly PricedModel[], prompt: Admitted['prompt']): AsyncGenerator<CompareEvent, Result[]> {
    const results: Result[] = [];
    for await (const { position, event } of this.fanOut.run(models, prompt, order.options)) {
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
