import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import type { ReservationHandle, ReservationNeed } from '../billing/reservation.types';
import { ApiError } from '../common/errors';
import { inSpan } from '../observability/spans';
import type { Result } from '../evals/result.entity';
import { AdmissionService, type AdmittedCompare } from './admission.service';
import { noteCompare } from './compare-span';
import type { CompareCommand, CompareOutcome, CompareRun, OnRunEvent } from './compare.types';
import { RoundsService } from './rounds.service';
import { RunningComparesService } from './running-compares.service';
import { reservationOf } from './runs/run-attempts';
import type { RunClaim } from './runs/run.types';
import { unsettledEval } from './settlement/finished-eval';
import { SettlementService } from './settlement/settlement.service';

/** The run itself: admit, reserve, call the models, settle. The only service that uses all of these modules. */
@Injectable()
export class CompareService {
  constructor(
    private readonly runs: RunningComparesService,
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly rounds: RoundsService,
    private readonly settlement: SettlementService,
  ) {}

  /**
   * Runs a compare. Calls `onEvent` for each event and resolves to the stored eval. Keeps running if the caller disconnects.
   * @throws ApiError the errors of `RunningComparesService`, `AdmissionService` and `BillingService.reserve`, all_models_failed, unavailable while evals cannot be stored
   */
  async run(caller: Caller, command: CompareCommand, onEvent: OnRunEvent = () => undefined): Promise<CompareOutcome> {
    return this.runs.track(caller, command, async (run) => {
      const replayed = await this.admission.findReplay(caller, command);
      if (replayed !== undefined) return { stored: replayed, isReplay: true };
      const admitted = await this.admission.admit(caller, command, run.startedAt);
      this.settlement.refuseWhileFailing();
      return this.runReserved(run, admitted, await this.reserve(run, admitted.need), onEvent);
    });
  }

  /**
   * Runs a compare that this process has claimed as a run: without events, and stored only while the lease is unchanged.
   * @throws the errors of `run`; LeaseLostError when another process has claimed the run since
   */
  async runClaimed(caller: Caller, command: CompareCommand, claim: RunClaim): Promise<CompareOutcome> {
    return this.runs.track(caller, command, async (run) => {
      const stored = await this.settlement.findClaimed(run);
      if (stored !== undefined) return { stored, isReplay: true };
      const admitted = await this.admission.admit(caller, command, run.startedAt);
      this.settlement.refuseWhileFailing();
      const reservation = await this.reserve(run, { ...admitted.need, attempt: reservationOf(claim) });
      return this.runReserved(run, admitted, reservation, () => undefined);
    }, claim);
  }

  private reserve({ caller }: CompareRun, need: ReservationNeed): Promise<ReservationHandle> {
    return inSpan('reserve', () => this.billing.reserve(caller, need));
  }

  private async runReserved(run: CompareRun, admitted: AdmittedCompare, reservation: ReservationHandle, onEvent: OnRunEvent): Promise<CompareOutcome> {
    const { models, samples } = run.command;
    let isSettled = false;
    noteCompare(run);
    try {
      onEvent({ type: 'eval-started', evalId: run.evalId, models, samples: samples > 1 ? samples : undefined });
      const results = await this.rounds.run(run, admitted, onEvent);
      if (results.every(({ error }) => error !== null)) throw allFailed(results.slice(0, models.length));
      const durationMs = this.runs.elapsedMs(run);
      const checked = await this.rounds.check(run, results);
      const outcome = await inSpan('settle', () => this.settlement.store(run, unsettledEval(run, checked, durationMs), reservation));
      isSettled = !outcome.isReplay;
      return outcome;
    } finally {
      await this.billing.release(reservation, isSettled);
    }
  }
}

/** With samples, the results of the first: the last ones may not have been called any more. */
function allFailed(results: readonly Result[]): ApiError {
  return new ApiError('all_models_failed', { details: { models: results.map(({ model, error }) => ({ model, error })) } });
}
