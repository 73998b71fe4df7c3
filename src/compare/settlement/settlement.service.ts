import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { BillingService } from '../../billing/billing.service';
import type { ReservationHandle } from '../../billing/reservation.types';
import { newId } from '../../common/ids';
import { EvalsService, type StoredEval } from '../../evals/evals.service';
import type { CompareOutcome, CompareRun } from '../compare.types';
import { billable, finished, type UnsettledEval } from './finished-eval';
import { SettlementRetryService } from './settlement-retry.service';
import { SettlementRepository, type SettlementTerms } from './settlement.repository';
import type { UnstoredEval } from './unstored-eval';

/** Stores a finished run: eval, results and charge together, or nothing. */
@Injectable()
export class SettlementService {
  constructor(
    private readonly repository: SettlementRepository,
    private readonly billing: BillingService,
    private readonly evals: EvalsService,
    private readonly retry: SettlementRetryService,
    private readonly em: EntityManager,
  ) {}

  /** Stores and charges the eval of a run; tried again while the database is unreachable and the run's time is not up. */
  async store(run: CompareRun, unsettled: UnsettledEval, reservation: ReservationHandle): Promise<CompareOutcome> {
    return this.retry.run({
      startedMs: run.roundStartedMs,
      unstored: { ...unsettled, reservation },
      attempt: (isRetry) => this.storeOrFind(run, unsettled, reservation, isRetry),
      rehearse: () => this.rehearse(unsettled, reservation),
    });
  }

  /** @throws ApiError unavailable while evals cannot be stored */
  refuseWhileFailing(): void {
    this.retry.refuseWhileFailing();
  }

  /** Stores an eval that could not be stored at its time, unless it is there. */
  async replay({ reservation, ...unsettled }: UnstoredEval): Promise<{ stored: StoredEval; isNew: boolean }> {
    const found = await this.evals.find(unsettled.record, unsettled.record.id);
    return { stored: found ?? await this.settle(unsettled, reservation), isNew: found === undefined };
  }

  private async storeOrFind(run: CompareRun, unsettled: UnsettledEval, reservation: ReservationHandle, isRetry: boolean): Promise<CompareOutcome> {
    try {
      return { stored: (await this.committedBefore(run, isRetry)) ?? await this.settle(unsettled, reservation), isReplay: false };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // What an earlier try sent may have been committed only now, while this one waited for its locks.
      const stored = await this.committedBefore(run, isRetry);
      if (stored !== undefined) return { stored, isReplay: false };
      if (reservation.idempotency === undefined || !isKeyTaken(error)) throw error;
      // Our reservation had run out and another run settled the same Idempotency-Key: its eval is the answer, and nothing is charged twice.
      const evalId = await this.billing.findReplay(run.caller, reservation.idempotency);
      return { stored: await this.evals.getForIdempotencyKey(run.caller, evalId ?? ''), isReplay: true };
    }
  }

  /** The eval of this run when an earlier try was committed and only the answer was lost. */
  private async committedBefore(run: CompareRun, isRetry: boolean): Promise<StoredEval | undefined> {
    return isRetry ? this.evals.find(run.caller, run.evalId) : undefined;
  }

  private async settle(unsettled: UnsettledEval, reservation: ReservationHandle): Promise<StoredEval> {
    const charge = this.billing.newCharge(reservation, billable(unsettled));
    const stored = finished(unsettled, charge);
    return await this.repository.settle(termsOf(reservation), stored, charge) ?? this.settleExpired(unsettled, reservation);
  }

  /** Settles under the month's lock what is not as it was thought to be: the reservation had run out (a long pause of this process), or free evals are left that were remembered as used up. */
  private async settleExpired(unsettled: UnsettledEval, reservation: ReservationHandle): Promise<StoredEval> {
    await this.billing.giveBackExpired(reservation);
    return this.em.fork().transactional(async (tx) => {
      const charge = this.billing.newCharge(await this.billing.claim(tx, reservation), billable(unsettled));
      const stored = finished(unsettled, charge);
      await this.repository.settle({ ...UNCONDITIONALLY, idempotency: reservation.idempotency }, stored, charge, tx);
      await this.billing.correctAboveLimit(tx, reservation, charge.charge);
      return stored;
    });
  }

  /** Stores an eval under another id and takes it back; without the Idempotency-Key, which another run may have used since. @throws what storing it would throw */
  private async rehearse({ record, results }: UnsettledEval, reservation: ReservationHandle): Promise<void> {
    const copy = { record: { ...record, id: newId('eval', record.createdAt) }, results };
    const charge = this.billing.newCharge(reservation, billable(copy));
    const tx = this.em.fork();
    await tx.begin();
    try {
      await this.repository.settle(UNCONDITIONALLY, finished(copy, charge), charge, tx);
    } finally {
      await tx.rollback();
    }
  }
}

const UNCONDITIONALLY: SettlementTerms = { reservationId: null, usedUpQuota: null, idempotency: undefined };

function termsOf({ id, isPersisted, wantsFree, freeQuota, idempotency }: ReservationHandle): SettlementTerms {
  return { reservationId: isPersisted ? id : null, usedUpQuota: !isPersisted && wantsFree && freeQuota > 0 ? freeQuota : null, idempotency };
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}

function isKeyTaken(error: unknown): boolean {
  return isUniqueViolation(error) && (error as { constraint?: unknown }).constraint === 'idempotency_keys_pkey';
}
