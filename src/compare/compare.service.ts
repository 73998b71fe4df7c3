import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import type { ReservationHandle } from '../billing/reservation.types';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Metrics } from '../common/metrics';
import type { Result } from '../evals/result.entity';
import { toApiError } from '../http/error.filter';
import { FanOutService } from './fan-out.service';
import { AdmissionService, type AdmittedCompare } from './admission.service';
import { buildResult } from './build-result';
import type { CompareCommand, CompareOutcome, CompareRun } from './compare.types';
import { unsettledEval } from './settlement/finished-eval';
import { SettlementService } from './settlement/settlement.service';

/** What happens in a run before it ends, in order: it starts, texts grow, results land. */
export type RunEvent =
  | { type: 'eval-started'; evalId: string; models: string[] }
  | { type: 'delta'; model: string; text: string }
  | { type: 'result-ready'; result: Result };

/** Listens to a run while it happens. */
export type OnRunEvent = (event: RunEvent) => void;

/** The run itself: admit, reserve, call all models at once, settle. The only service that uses all of these modules. */
@Injectable()
export class CompareService implements OnModuleDestroy, BeforeApplicationShutdown {
  @Inject(Metrics) private readonly metrics!: Metrics;
  private running = 0;
  private stopping = false;
  private drained: () => void = () => undefined;

  constructor(
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly fanOut: FanOutService,
    private readonly settlement: SettlementService,
    private readonly clock: Clock,
  ) {}

  /**
   * One run; `onEvent` hears of it as it happens, and it resolves to what stands in the end. It goes on whether or not anybody still waits for it, so that a caller who hangs up loses nothing.
   * @throws ApiError what `AdmissionService` and `BillingService.reserve` refuse, all_models_failed, unavailable while the service stops or evals cannot be stored
   */
  async run(caller: Caller, command: CompareCommand, onEvent: OnRunEvent = () => undefined): Promise<CompareOutcome> {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
    this.admission.refuseAbove(this.running);
    this.running += 1;
    this.metrics.comparesInFlight.inc();
    try {
      const replayed = await this.admission.findReplay(caller, command);
      if (replayed !== undefined) {
        this.metrics.compares.inc({ outcome: 'replayed' });
        return { stored: replayed, isReplay: true };
      }
      const startedAt = this.clock.now();
      const run = { caller, command, startedAt, startedMs: this.clock.monotonicMs(), evalId: newId('eval', startedAt) };
      const admitted = this.admission.admit(caller, command, startedAt);
      this.settlement.refuseWhileFailing();
      return await this.runReserved(run, admitted, await this.billing.reserve(caller, admitted.need), onEvent);
    } catch (error) {
      this.metrics.compareFailed(toApiError(error).code);
      throw error;
    } finally {
      this.running -= 1;
      this.metrics.comparesInFlight.dec();
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

  private async runReserved(run: CompareRun, admitted: AdmittedCompare, reservation: ReservationHandle, onEvent: OnRunEvent): Promise<CompareOutcome> {
    let isSettled = false;
    try {
      onEvent({ type: 'eval-started', evalId: run.evalId, models: run.command.models });
      const results = await this.call(run, admitted, onEvent);
      if (results.every(({ error }) => error !== null)) throw allFailed(results);
      const unsettled = unsettledEval(run, results, this.clock.monotonicMs() - run.startedMs);
      const done = await this.settlement.store(run, unsettled, reservation);
      isSettled = !done.isReplay;
      this.metrics.compares.inc({ outcome: done.isReplay ? 'replayed' : 'stored' });
      return done;
    } finally {
      await this.billing.release(reservation, isSettled);
    }
  }

  private async call({ command }: CompareRun, { models, prompt }: AdmittedCompare, onEvent: OnRunEvent): Promise<Result[]> {
    const results: Result[] = [];
    await this.fanOut.run(models, prompt, command.options, {
      onText: (position, text) => onEvent({ type: 'delta', model: command.models[position] ?? '', text }),
      onOutcome: (position, outcome) => {
        const result = buildResult(outcome, position);
        results[position] = result;
        this.metrics.modelCallEnded(outcome.priced.model.vendor, result);
        onEvent({ type: 'result-ready', result });
      },
    });
    return results;
  }
}

function allFailed(results: readonly Result[]): ApiError {
  return new ApiError('all_models_failed', { details: { models: results.map(({ model, error }) => ({ model, error })) } });
}
