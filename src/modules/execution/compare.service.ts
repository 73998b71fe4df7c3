import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { ApiError } from '../../common/errors';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';
import { MCS } from '../../platform/observability/semantic-conventions';
import { inOwnTrace, inSpan } from '../../platform/observability/spans';
import { ActiveComparesService } from './active-compares.service';
import { AdmissionService } from './admission.service';
import type { ActiveCompare } from './active-compare';
import type { CompareCommand, CompareContext, CompareOutcome } from './compare.types';
import { nameOnSpan } from './record-compare';
import { RoundsService } from './rounds.service';
import { unsettledEval } from './settlement/finished-eval';
import { SettlementService } from './settlement/settlement.service';

/** Runs compares: admits, reserves, calls the models, settles. */
@Injectable()
export class CompareService {
  constructor(
    private readonly active: ActiveComparesService,
    private readonly admission: AdmissionService,
    private readonly billing: BillingService,
    private readonly rounds: RoundsService,
    private readonly settlement: SettlementService,
  ) {}

  /**
   * Runs a compare and resolves to the stored eval. Keeps running if the caller disconnects. With `lock`, the eval is
   * stored only while the lock is held.
   * @throws ApiError the errors of `ActiveComparesService`, `AdmissionService` and `BillingService.reserve`,
   * all_models_failed, unavailable while evals cannot be stored; LockLostError
   */
  compare(caller: Caller, command: CompareCommand, context: CompareContext): Promise<CompareOutcome> {
    const work = () => this.execute(caller, command, context);
    const { lock } = context;
    // A job belongs to no request, so it has a separate trace.
    return lock === undefined
      ? inSpan('compare', work)
      : inOwnTrace('compare', work, () => ({ attributes: { [MCS.runId]: lock.runId } }));
  }

  private async execute(caller: Caller, command: CompareCommand, context: CompareContext): Promise<CompareOutcome> {
    using compare = this.active.begin(caller, command, context);
    try {
      const earlier = await this.findEarlier(compare);
      const outcome = earlier === undefined ? await this.reserveAndRun(compare) : { stored: earlier, isReplay: true };
      this.active.succeed(compare, outcome);
      return outcome;
    } catch (error) {
      this.active.fail(error, compare);
      throw error;
    }
  }

  /** The eval of this command's Idempotency-Key, or of an earlier attempt of this job. */
  private async findEarlier(compare: ActiveCompare): Promise<StoredEval | undefined> {
    return compare.lock === undefined
      ? this.admission.findReplay(compare.caller, compare.command)
      : this.settlement.findStored(compare);
  }

  private async reserveAndRun(compare: ActiveCompare): Promise<CompareOutcome> {
    const { caller, command, startedAt, lock, evalId, onEvent } = compare;
    const { models, samples } = command;
    const admitted = await this.admission.admit(caller, command, startedAt);
    this.settlement.refuseWhileFailing();
    const reservation = await inSpan('reserve', () =>
      this.billing.reserve(caller, { ...admitted.need, attempt: lock?.reservation }),
    );
    let isSettled = false;
    nameOnSpan(compare);
    try {
      onEvent({ type: 'eval-started', evalId, models, samples: samples > 1 ? samples : undefined });
      const results = await this.rounds.callRounds(compare, admitted);
      if (results.every(({ error }) => error !== null)) throw allFailed(results.slice(0, models.length));
      const durationMs = this.active.elapsedMs(compare);
      const checked = await this.rounds.check(compare, results);
      const outcome = await inSpan('settle', () =>
        this.settlement.store(compare, unsettledEval(compare, checked, durationMs), reservation),
      );
      isSettled = !outcome.isReplay;
      return outcome;
    } finally {
      await this.billing.release(reservation, isSettled);
    }
  }
}

/** With samples, the results of the first: the last ones may not have been called any more. */
function allFailed(results: readonly Result[]): ApiError {
  return new ApiError('all_models_failed', {
    details: { models: results.map(({ model, error }) => ({ model, error })) },
  });
}
