import { Injectable } from '@nestjs/common';
import { BillingService } from '../../billing/billing.service';
import type { NewCharge } from '../../billing/charge';
import type { ReservationHandle } from '../../billing/reservation.types';
import { newId } from '../../../common/ids';
import { EvalsService, type StoredEval } from '../../evals/evals.service';
import type { ActiveCompare } from '../active-compare';
import type { CompareOutcome } from '../compare.types';
import { AdmissionService } from '../admission.service';
import type { JobLock } from '../job-lock';
import { billable, finished, type UnsettledEval } from './finished-eval';
import { SettlementRetryService } from './settlement-retry.service';
import { SettlementRepository, type SettlementTerms } from './settlement.repository';
import type { UnstoredEval } from './unstored-eval';

/** Stores a finished compare: eval, results and charge together, or nothing. */
@Injectable()
export class SettlementService {
  constructor(
    private readonly repository: SettlementRepository,
    private readonly billing: BillingService,
    private readonly evals: EvalsService,
    private readonly retry: SettlementRetryService,
    private readonly admission: AdmissionService,
  ) {}

  /**
   * Stores and charges the eval of a compare. Tries again while the database is unreachable, until the deadline of the
   * last round.
   */
  async store(
    compare: ActiveCompare,
    unsettled: UnsettledEval,
    reservation: ReservationHandle,
  ): Promise<CompareOutcome> {
    return this.retry.run({
      startedMs: compare.roundStartedMs,
      unstored: { ...unsettled, reservation },
      attempt: (isRetry) => this.storeOrFind(compare, unsettled, reservation, isRetry),
      rehearse: () => this.rehearse(unsettled, reservation),
    });
  }

  /** @throws ApiError unavailable while evals cannot be stored */
  refuseWhileFailing(): void {
    this.retry.refuseWhileFailing();
  }

  /**
   * The eval of a job that was started before, if it is already stored: by an earlier attempt, or from the log since.
   */
  async findStored({ caller, evalId, lock }: ActiveCompare): Promise<StoredEval | undefined> {
    if (lock === undefined || lock.fence === 1) return undefined;
    const stored = await this.evals.find(caller, evalId);
    if (stored !== undefined) await lock.markStored(stored);
    return stored;
  }

  /** Stores an eval that could not be stored at its time, unless it is there. */
  async replay({ reservation, ...unsettled }: UnstoredEval): Promise<{ stored: StoredEval; isNew: boolean }> {
    const found = await this.findCommitted(unsettled, reservation);
    return { stored: found ?? (await this.settle(unsettled, reservation)), isNew: found === undefined };
  }

  private async storeOrFind(
    compare: ActiveCompare,
    unsettled: UnsettledEval,
    reservation: ReservationHandle,
    isRetry: boolean,
  ): Promise<CompareOutcome> {
    const committedBefore = async () => (isRetry ? this.findCommitted(unsettled, reservation) : undefined);
    try {
      return {
        stored: (await committedBefore()) ?? (await this.settle(unsettled, reservation, compare.lock)),
        isReplay: false,
      };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // An earlier attempt may have been committed only now, while this one waited for its locks.
      const stored = (await committedBefore()) ?? (await this.findStored(compare));
      if (stored !== undefined) return { stored, isReplay: false };
      if (reservation.idempotency === undefined || !isKeyTaken(error)) throw error;
      // Our reservation had run out and another compare settled the same Idempotency-Key: its eval is the answer, and
      // nothing is charged twice.
      const evalId = await this.billing.findReplay(compare.caller, reservation.idempotency);
      return { stored: await this.admission.getReplay(compare.caller, evalId ?? ''), isReplay: true };
    }
  }

  /**
   * The eval if an earlier try was committed and only the answer was lost. Its charge shows that where no text is
   * stored; then the texts are those at hand.
   */
  private async findCommitted(
    unsettled: UnsettledEval,
    reservation: ReservationHandle,
  ): Promise<StoredEval | undefined> {
    const { record, isStored } = unsettled;
    if (isStored !== false) return this.evals.find(record, record.id);
    const isFree = await this.billing.wasFree(record.id);
    return isFree === undefined
      ? undefined
      : finished(unsettled, this.billing.newCharge({ ...reservation, isFree }, billable(unsettled)));
  }

  private async settle(unsettled: UnsettledEval, reservation: ReservationHandle, lock?: JobLock): Promise<StoredEval> {
    const charge = this.billing.newCharge(reservation, billable(unsettled));
    const stored = finished(unsettled, charge);
    const settled =
      lock === undefined
        ? await this.repository.settle({ ...termsOf(reservation), isStored: unsettled.isStored }, stored, charge)
        : await this.settleJob(lock, termsOf(reservation), stored, charge);
    return settled ?? this.settleExpired(unsettled, reservation, lock);
  }

  /**
   * Stores the eval and marks the job as succeeded, or neither; undefined if the terms do not hold. The job comes
   * first, because the rows of the ledger are locked last. @throws LockLostError
   */
  private async settleJob(
    lock: JobLock,
    terms: SettlementTerms,
    stored: StoredEval,
    charge: NewCharge,
  ): Promise<StoredEval | undefined> {
    const notStored = new Error('The terms of the settlement do not hold.');
    return this.repository
      .inTransaction(async (tx) => {
        await lock.markSucceeded(tx, stored);
        const settled = await this.repository.settle(terms, stored, charge, tx);
        // So that the end of the job is rolled back too.
        if (settled === undefined) throw notStored;
        return settled;
      })
      .catch((error: unknown) => {
        if (error !== notStored) throw error;
        return undefined;
      });
  }

  /**
   * Settles under the month's lock if an assumption was wrong: the reservation had expired (a long pause of this
   * process), or free evals are left that were remembered as used up.
   */
  private async settleExpired(
    unsettled: UnsettledEval,
    reservation: ReservationHandle,
    lock?: JobLock,
  ): Promise<StoredEval> {
    await this.billing.releaseExpired(reservation);
    return this.repository.inTransaction(async (tx) => {
      // Only a row of an experiment reads the charge, and it is never free: its charge is known before the month is
      // locked, which comes last.
      if (lock !== undefined)
        await lock.markSucceeded(tx, finished(unsettled, this.billing.newCharge(reservation, billable(unsettled))));
      const charge = this.billing.newCharge(await this.billing.lockMonth(tx, reservation), billable(unsettled));
      const stored = finished(unsettled, charge);
      await this.repository.settle(
        { ...UNCONDITIONALLY, idempotency: reservation.idempotency, isStored: unsettled.isStored },
        stored,
        charge,
        tx,
      );
      await this.billing.correctAboveLimit(tx, reservation, charge.charge);
      return stored;
    });
  }

  /**
   * Stores an eval under another id and takes it back; without the Idempotency-Key, which another compare may have used
   * since. @throws what storing it would throw
   */
  private async rehearse({ record, ...rest }: UnsettledEval, reservation: ReservationHandle): Promise<void> {
    const copy = { record: { ...record, id: newId('eval', record.createdAt) }, ...rest };
    const charge = this.billing.newCharge(reservation, billable(copy));
    await this.repository.inVain((tx) =>
      this.repository.settle({ ...UNCONDITIONALLY, isStored: rest.isStored }, finished(copy, charge), charge, tx),
    );
  }
}

const UNCONDITIONALLY: SettlementTerms = { reservationId: null, usedUpQuota: null, idempotency: undefined };

function termsOf({ id, isPersisted, wantsFree, freeQuota, idempotency }: ReservationHandle): SettlementTerms {
  return {
    reservationId: isPersisted ? id : null,
    usedUpQuota: !isPersisted && wantsFree && freeQuota > 0 ? freeQuota : null,
    idempotency,
  };
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

function isKeyTaken(error: unknown): boolean {
  return isUniqueViolation(error) && (error as { constraint?: unknown }).constraint === 'idempotency_keys_pkey';
}
