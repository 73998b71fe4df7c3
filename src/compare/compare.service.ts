import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import type { ReservationHandle } from '../billing/reservation.types';
import { ApiError } from '../common/errors';
import type { Result } from '../evals/result.entity';
import { AdmissionService, type AdmittedCompare } from './admission.service';
import { buildResult } from './build-result';
import type { CompareCommand, CompareOutcome, CompareRun } from './compare.types';
import { FanOutService } from './fan-out.service';
import { RunningComparesService } from './running-compares.service';
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
export class CompareService {
  constructor(
    private readonly runs: RunningComparesService,
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly fanOut: FanOutService,
    private readonly settlement: SettlementService,
  ) {}

  /**
   * One run; `onEvent` hears of it as it happens, and it resolves to what stands in the end. It goes on whether or not anybody still waits for it, so that a caller who hangs up loses nothing.
   * @throws ApiError what `RunningComparesService`, `AdmissionService` and `BillingService.reserve` refuse, all_models_failed, unavailable while evals cannot be stored
   */
  async run(caller: Caller, command: CompareCommand, onEvent: OnRunEvent = () => undefined): Promise<CompareOutcome> {
    return this.runs.track(caller, command, async (run) => {
      const replayed = await this.admission.findReplay(caller, command);
      if (replayed !== undefined) return { stored: replayed, isReplay: true };
      const admitted = this.admission.admit(caller, command, run.startedAt);
      this.settlement.refuseWhileFailing();
      return this.runReserved(run, admitted, await this.billing.reserve(caller, admitted.need), onEvent);
    });
  }

  private async runReserved(run: CompareRun, admitted: AdmittedCompare, reservation: ReservationHandle, onEvent: OnRunEvent): Promise<CompareOutcome> {
    let isSettled = false;
    try {
      onEvent({ type: 'eval-started', evalId: run.evalId, models: run.command.models });
      const results = await this.call(run, admitted, onEvent);
      if (results.every(({ error }) => error !== null)) throw allFailed(results);
      const outcome = await this.settlement.store(run, unsettledEval(run, results, this.runs.elapsedMs(run)), reservation);
      isSettled = !outcome.isReplay;
      return outcome;
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
        this.runs.countModelCall(outcome.priced.model.vendor, result);
        onEvent({ type: 'result-ready', result });
      },
    });
    return results;
  }
}

function allFailed(results: readonly Result[]): ApiError {
  return new ApiError('all_models_failed', { details: { models: results.map(({ model, error }) => ({ model, error })) } });
}
