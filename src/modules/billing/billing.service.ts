import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import { Money } from '../../common/money';
import { Month } from '../../common/month';
import { withRetries } from '../../common/is-database-unavailable';
import { ActiveReservationsService } from './active-reservations.service';
import { newCharge, newCorrection, type BillableEval, type NewCharge } from './charge';
import type { Charge } from './charge.entity';
import { ChargesRepository } from './charges.repository';
import { FreeEvalMemory } from './free-eval-memory';
import { asKeyInUse, replayOf } from './idempotency';
import { IDEMPOTENCY_MS } from '../../platform/database/expiring-rows';
import { chargeOf } from './pricing';
import { excessOf, refusalOf } from './reservation-refusal';
import type {
  Idempotency,
  ReservationAnswer,
  ReservationHandle,
  ReservationNeed,
  ReservationRequest,
} from './reservation.types';
import { ReservationsRepository } from './reservations.repository';

type ReservationTerms = Omit<ReservationRequest, 'maxCharge'>;

const SPEND_LIMIT_REASON = 'Above the monthly spend limit; not charged.';

/**
 * Money and quota: reserves before the vendors are called, computes the charge afterwards, releases the unused rest.
 */
@Injectable()
export class BillingService {
  private readonly freeEvals: FreeEvalMemory;

  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly charges: ChargesRepository,
    private readonly active: ActiveReservationsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.freeEvals = new FreeEvalMemory(clock);
  }

  /**
   * The eval that an Idempotency-Key stands for already. @throws ApiError idempotency_key_reused,
   * idempotency_key_in_use
   */
  async findReplay(caller: Caller, idempotency: Idempotency): Promise<string | undefined> {
    return replayOf(
      await withRetries(() => this.reservations.findIdempotency(caller.userId, idempotency.key, this.oldestKey())),
      idempotency,
    );
  }

  /**
   * Takes a free eval if its models and the quota allow it, else room under the spend limits.
   * @throws ApiError payment_required, spend_limit_reached, key_spend_limit_reached, idempotency_key_in_use,
   * idempotency_key_reused
   */
  async reserve(caller: Caller, need: ReservationNeed): Promise<ReservationHandle> {
    const abandoned = new Set(need.attempt?.abandoned);
    return withRetries(async () => {
      for (const id of abandoned) await this.reservations.release(id);
      const terms = this.termsOf(caller, need);
      // A statement may have been executed although its connection broke: release its reservation before requesting
      // another.
      abandoned.add(terms.id);
      if (this.canSkipReservation(terms)) return withoutReservation(terms);
      const { isFree, userLimit } = await this.requestReservation({
        ...terms,
        maxCharge: this.chargeOf(need.maxCost(), false),
      });
      const reservation = { ...terms, userLimit, isFree, isPersisted: true };
      this.active.add(reservation.id);
      return reservation;
    });
  }

  /**
   * Lets an Idempotency-Key stand for an eval that will run later, in the transaction that keeps what is to run.
   * @throws ApiError idempotency_key_in_use when a compare with that key runs, or has just ended
   */
  async announce(tx: EntityManager, caller: Caller, { key, fingerprint }: Idempotency, evalId: string): Promise<void> {
    const now = this.clock.now();
    try {
      const holder = { id: newId('rsv', now), userId: caller.userId, keyId: caller.keyId, month: Month.of(now) };
      await this.takeKey(tx, holder, key);
      await this.reservations.passKeyOn(tx, holder.id);
      await this.charges.insertIdempotencyKey(tx, { userId: caller.userId, key, fingerprint, evalId, createdAt: now });
    } catch (error) {
      throw asKeyInUse(error);
    }
  }

  /** Takes that back when the eval will not be, in the transaction that says so. */
  async revokeAnnouncement(tx: EntityManager, userId: string, key: string, evalId: string): Promise<void> {
    await this.charges.deleteIdempotencyKey(tx, userId, key, evalId);
  }

  async isChargedBy(keyId: string, evalId: string): Promise<boolean> {
    return this.charges.isOfKey(evalId, keyId);
  }

  /** True if an eval was charged as a free one; undefined if it was not charged at all. */
  async wasFree(evalId: string): Promise<boolean | undefined> {
    return this.charges.wasFree(evalId);
  }

  /** The instant before which a used Idempotency-Key has expired and can be used again. */
  private oldestKey(): Date {
    return new Date(this.clock.now().getTime() - IDEMPOTENCY_MS);
  }

  newCharge(reservation: ReservationHandle, evaluation: BillableEval): NewCharge {
    return newCharge(reservation, evaluation, { margin: this.config.BILLING_MARGIN, createdAt: this.clock.now() });
  }

  /** Releases expired reservations of the user, so that none of them blocks a free eval. */
  async releaseExpired({ userId }: Pick<ReservationHandle, 'userId'>): Promise<void> {
    await this.reservations.releaseExpired(userId);
  }

  /**
   * Locks the month of an eval that is settled without its reservation, and gives it a free eval if it wants one and
   * one is left. Needs a transaction.
   */
  async lockMonth(tx: EntityManager, reservation: ReservationHandle): Promise<ReservationHandle> {
    const freeEvals = await this.reservations.lockMonth(tx, reservation);
    return { ...reservation, isFree: reservation.wantsFree && freeEvals < reservation.freeQuota };
  }

  /**
   * A limit holds to the last digit even if a reservation ran out: what is above it is taken off again, but never more
   * than this charge. Needs the transaction that has stored the charge.
   */
  async correctAboveLimit(
    tx: EntityManager,
    reservation: ReservationHandle,
    { charge, createdAt }: Charge,
  ): Promise<void> {
    const { userId, month, userLimit, keyLimit } = reservation;
    if (userLimit === null && keyLimit === null) return;
    const { user, key } = await this.reservations.spending(tx, reservation);
    const above = larger(excessOf(userLimit, user, Money.zero), excessOf(keyLimit, key, Money.zero));
    // The excess may not be of this eval: earlier charges of the key, which keep their own corrections, or an
    // operator's correction.
    const excess = smaller(above, charge);
    if (excess.compare(Money.zero) <= 0) return;
    // A millisecond later, because ids sort by it: the correction follows its charge in the statement.
    await this.charges.insertCorrection(
      tx,
      newCorrection(userId, month, Money.zero.minus(excess), SPEND_LIMIT_REASON, new Date(createdAt.getTime() + 1)),
    );
  }

  /** Ends a reservation. A settled one no longer exists; any other is released. */
  async release(reservation: ReservationHandle, isSettled: boolean): Promise<void> {
    if (!this.active.end(reservation.id)) return;
    // A reservation that could not be released expires by itself, so this never hides the real error.
    if (!isSettled) await this.reservations.release(reservation.id).catch(() => undefined);
  }

  /** The current charge for a cost; the charges of an eval's results add up to its total. */
  chargeOf(cost: Money, isFree: boolean): Money {
    return chargeOf(cost, this.config.BILLING_MARGIN, isFree);
  }

  private async requestReservation(request: ReservationRequest): Promise<ReservationAnswer> {
    const answer = (await this.reserveOnce(request, false)) ?? (await this.reserveAfterPreparing(request));
    this.freeEvals.note(request.userId, request.month.toString(), answer.freeEvalCount);
    if (!answer.isMade) throw refusalOf(request, answer);
    return answer;
  }

  private async reserveAfterPreparing(request: ReservationRequest): Promise<ReservationAnswer> {
    await this.reservations.prepare(request);
    const answer = await this.reserveOnce(request, true);
    if (answer === undefined) throw new Error('The month has no row although it was made.');
    return answer;
  }

  private async reserveOnce(
    request: ReservationRequest,
    acceptsExpired: boolean,
  ): Promise<ReservationAnswer | undefined> {
    const { idempotency } = request;
    if (idempotency === undefined) return this.reservations.reserve(request, acceptsExpired);
    return this.reservations
      .inTransaction(async (tx) => {
        await this.takeKey(tx, request, idempotency.key);
        const answer = await this.reservations.reserve(request, acceptsExpired, tx);
        if (answer?.isMade !== true) {
          await this.reservations.passKeyOn(tx, request.id);
          return answer;
        }
        // Looked up again, now that no other process can settle it: another run may have done so since the first look.
        const state = await this.reservations.findIdempotency(request.userId, idempotency.key, this.oldestKey(), tx);
        if (state !== 'running' && replayOf(state, idempotency) !== undefined)
          throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
        return answer;
      })
      .catch((error: unknown) => {
        const refusal = asKeyInUse(error);
        // An expired reservation may hold it, which is released before the second try.
        if (refusal === error || acceptsExpired) throw refusal;
        return undefined;
      });
  }

  /**
   * Takes an Idempotency-Key before any other lock: the end of its reservation deletes that row first and locks the
   * month last, so that the two never deadlock.
   * @throws UniqueConstraintViolationException while a compare with it runs
   */
  private async takeKey(
    tx: EntityManager,
    holder: Pick<ReservationRequest, 'id' | 'userId' | 'keyId' | 'month'>,
    key: string,
  ): Promise<void> {
    await this.reservations.takeKey(tx, { ...holder, key });
    await this.charges.deleteExpiredIdempotencyKey(tx, holder.userId, key, this.oldestKey());
  }

  /**
   * A reservation keeps a free eval, room under a limit or an Idempotency-Key from others; without any of these it
   * would only cost time. A free eval is never refused from memory.
   */
  private canSkipReservation({
    userId,
    month,
    wantsFree,
    freeQuota,
    userLimit,
    keyLimit,
    idempotency,
    mayBeCharged,
  }: ReservationTerms): boolean {
    if (userLimit !== null || keyLimit !== null || idempotency !== undefined) return false;
    return !wantsFree || (mayBeCharged && this.freeEvals.isUsedUp(userId, month.toString(), freeQuota));
  }

  private termsOf(caller: Caller, need: ReservationNeed): ReservationTerms {
    return {
      id: need.attempt?.id ?? newId('rsv', need.startedAt),
      userId: caller.userId,
      keyId: caller.keyId,
      month: Month.of(need.startedAt),
      wantsFree: need.wantsFree,
      freeQuota: caller.freeQuota,
      userLimit: caller.monthlySpendLimit,
      keyLimit: caller.keySpendLimit,
      mayBeCharged: this.config.BILLING_ENFORCEMENT === 'meter' || caller.hasPaymentMethod,
      idempotency: need.idempotency,
      ttlSeconds: this.config.RESERVATION_TTL_SECONDS,
    };
  }
}

function withoutReservation(terms: ReservationTerms): ReservationHandle {
  if (!terms.mayBeCharged) throw new ApiError('payment_required');
  return { ...terms, isFree: false, isPersisted: false };
}

function larger(left: Money, right: Money): Money {
  return left.compare(right) >= 0 ? left : right;
}

function smaller(left: Money, right: Money): Money {
  return left.compare(right) <= 0 ? left : right;
}
