import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { withRetries } from '../database/is-database-unavailable';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Money } from '../common/money';
import { Month } from '../common/month';
import type { Charge } from './charge.entity';
import { ChargesRepository, type Part, type Posting } from './charges.repository';
import { FreeEvalMemory } from './free-eval-memory';
import { asKeyInUse, replayOf } from './idempotency';
import { IDEMPOTENCY_MS } from './idempotency-key.entity';
import { chargeOf } from './pricing';
import { ReservationsRepository, type Committed, type Idempotency, type ReservationAnswer, type ReservationRequest } from './reservations.repository';
import { breakdownOf, type Settled } from './charge-breakdown';

/** What a running eval may count on, as this process holds it. */
export interface Reservation extends ReservationRequest {
  /** Whether a free eval was promised. */
  isFree: boolean;
  /** Whether the database keeps a promise; there is none where there is nothing to keep free. */
  isPersisted: boolean;
}

/** What an eval asks of the user's money before it runs. */
export interface ReservationNeed {
  startedAt: Date;
  /** Whether the free quota covers all of its models. */
  wantsFree: boolean;
  /** The most it can cost us. */
  maxCost: Money;
  idempotency: Idempotency | undefined;
}

/** What a settled eval was charged. */
export interface Settlement {
  charge: Money;
  isFree: boolean;
}

const SPEND_LIMIT_REASON = 'Above the monthly spend limit; not charged.';

/** Money and quota: promise before the vendors are called, settle with the eval, or give back. */
@Injectable()
export class BillingService implements OnModuleInit, OnApplicationShutdown {
  /** Promises of this process whose eval is still running. */
  private readonly activeReservations = new Map<string, Reservation>();
  private readonly freeEvals: FreeEvalMemory;
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly charges: ChargesRepository,
    private readonly em: EntityManager,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.freeEvals = new FreeEvalMemory(clock);
  }

  // A promise is short-lived so that a dead process blocks nothing for long; a living one keeps renewing its own.
  onModuleInit(): void {
    this.renewal = setInterval(() => void this.renewActive(), (this.config.RESERVATION_TTL_SECONDS * 1000) / 3);
    this.renewal.unref();
  }

  // Not before: running evals are still drained until then.
  onApplicationShutdown(): void {
    clearInterval(this.renewal);
  }

  /** The eval that an Idempotency-Key stands for already. @throws ApiError idempotency_key_reused, idempotency_key_in_use */
  async findReplay(caller: Caller, idempotency: Idempotency): Promise<string | undefined> {
    return replayOf(await withRetries(() => this.reservations.findIdempotency(caller.userId, idempotency.key, this.oldestKey())), idempotency);
  }

  /**
   * Takes a free eval if its models and the quota allow it, else room under the spend limits.
   * @throws ApiError payment_required, spend_limit_reached, key_spend_limit_reached, idempotency_key_in_use, idempotency_key_reused
   */
  async reserve(caller: Caller, need: ReservationNeed): Promise<Reservation> {
    let former: string | undefined;
    return withRetries(async () => {
      // What was sent may have been done although its connection broke: it is given back before another is asked for.
      if (former !== undefined) await this.reservations.release(former);
      const request = this.requestOf(caller, need);
      former = request.id;
      return this.reserveOnce(request);
    });
  }

  /**
   * Turns the promise into a charge and stores what comes along with it, all or nothing.
   * @throws UniqueConstraintViolationException when another run has settled the same Idempotency-Key
   */
  async settle(reservation: Reservation, settled: Settled, alongside: (settlement: Settlement, gate: Part) => Part): Promise<Settlement> {
    const asPromised = this.posting(reservation, settled, reservation.isFree, alongside);
    if (await this.charges.insert(this.em, asPromised, this.gateOf(reservation))) return asPromised.charge;
    return this.em.fork().transactional((tx) => this.settleExpired(tx, reservation, settled, alongside));
  }

  /** Does in a transaction what settling would do now, and takes it back. @throws what settling would throw */
  async rehearse(reservation: Reservation, settled: Settled, alongside: (settlement: Settlement, gate: Part) => Part): Promise<void> {
    const tx = this.em.fork();
    await tx.begin();
    try {
      // Without the Idempotency-Key, which another run may have used since.
      await this.charges.insert(tx, this.posting({ ...reservation, idempotency: undefined }, settled, reservation.isFree, alongside), sql`select`);
    } finally {
      await tx.rollback();
    }
  }

  /** Ends a promise. One that was settled is gone already; any other is given back. */
  async release(reservation: Reservation, settled: boolean): Promise<void> {
    if (!this.activeReservations.delete(reservation.id)) return;
    // A promise that could not be given back ends by itself, so this never stands in the way of the real error.
    if (!settled) await this.reservations.release(reservation.id).catch(() => undefined);
  }

  /** What is charged now for a cost; the charges of an eval's results add up to its own. */
  chargeOf(cost: Money, isFree: boolean): Money {
    return chargeOf(cost, this.config.BILLING_MARGIN, isFree);
  }

  private async reserveOnce(request: ReservationRequest): Promise<Reservation> {
    if (this.canSkipReservation(request)) return withoutReservation(request);
    const { isFree } = await this.requestReservation(request).catch((error: unknown) => { throw asKeyInUse(error); });
    const reservation = { ...request, isFree, isPersisted: true };
    this.activeReservations.set(reservation.id, reservation);
    return reservation;
  }

  private async requestReservation(request: ReservationRequest): Promise<ReservationAnswer> {
    const { idempotency } = request;
    const answer = idempotency === undefined
      ? await this.reservations.reserve(request)
      : await this.em.fork().transactional((tx) => this.promiseOnce(tx, request, idempotency));
    this.freeEvals.note(request.userId, request.month.toString(), answer.freeEvalCount);
    if (!answer.isMade) throw refusal(request, answer);
    return answer;
  }

  /** A promise keeps a free eval, room under a limit or an Idempotency-Key from others; without any of these it would only cost time. Nobody is refused a free eval from memory. */
  private canSkipReservation({ userId, month, wantsFree, freeQuota, userLimit, keyLimit, idempotency, mayBeCharged }: ReservationRequest): boolean {
    if (userLimit !== null || keyLimit !== null || idempotency !== undefined) return false;
    return !wantsFree || (mayBeCharged && this.freeEvals.isUsedUp(userId, month.toString(), freeQuota));
  }

  /** What the settling statement has to find so that the eval is what it was thought to be: its promise, or a month without free evals for one that was to be charged in place of a free one. */
  private gateOf(reservation: Reservation): Part {
    if (reservation.isPersisted) return this.reservations.redeeming(reservation, reservation.isFree);
    return reservation.wantsFree ? this.reservations.quotaUsedUp(reservation) : sql`select`;
  }

  private async promiseOnce(tx: EntityManager, request: ReservationRequest, idempotency: Idempotency): Promise<ReservationAnswer> {
    await this.charges.forgetIdempotency(tx, request.userId, idempotency.key, this.oldestKey());
    const answer = await this.reservations.reserveIn(tx, request, 'lost-in-a-crash');
    // Looked up again now that nobody else can settle it: another run may have done so since the first look.
    const state = answer.isMade ? await this.reservations.findIdempotency(request.userId, idempotency.key, this.oldestKey(), tx) : undefined;
    if (state !== 'running' && replayOf(state, idempotency) !== undefined) throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
    return answer;
  }

  private requestOf(caller: Caller, need: ReservationNeed): ReservationRequest {
    return {
      id: newId('rsv', need.startedAt),
      userId: caller.userId,
      keyId: caller.keyId,
      month: Month.of(need.startedAt),
      wantsFree: need.wantsFree,
      freeQuota: caller.freeQuota,
      maxCharge: this.chargeOf(need.maxCost, false),
      userLimit: caller.monthlySpendLimit,
      keyLimit: caller.keySpendLimit,
      mayBeCharged: this.config.BILLING_ENFORCEMENT === 'meter' || caller.hasPaymentMethod,
      idempotency: need.idempotency,
      ttlSeconds: this.config.RESERVATION_TTL_SECONDS,
    };
  }

  /** Settles under the month's lock what is not as it was thought to be: the promise had run out (a long pause of this process), or free evals are left that were remembered as used up. */
  private async settleExpired(tx: EntityManager, reservation: Reservation, settled: Settled, alongside: (settlement: Settlement, gate: Part) => Part): Promise<Settlement> {
    const posting = this.posting(reservation, settled, await this.claim(tx, reservation), alongside);
    await this.charges.insert(tx, posting, sql`select`);
    await this.correctAboveLimit(tx, reservation, posting.charge.charge, posting.charge.createdAt);
    return posting.charge;
  }

  /** Takes the promise back and says whether the eval is free; one that had run out is made anew, free only while a free eval is left. */
  private async claim(tx: EntityManager, reservation: Reservation): Promise<boolean> {
    const redeemed = await this.reservations.redeem(tx, reservation);
    if (redeemed.isLive || !reservation.wantsFree) return redeemed.isFree;
    const { isFree } = await this.reservations.reserveIn(tx, { ...reservation, userLimit: null, keyLimit: null, mayBeCharged: true, idempotency: undefined }, 'durable');
    await this.reservations.redeem(tx, reservation);
    return isFree;
  }

  /** A limit holds to the last digit even if a promise ran out: what is above it is taken off again, but never more than this charge. */
  private async correctAboveLimit(tx: EntityManager, reservation: Reservation, charge: Money, now: Date): Promise<void> {
    const { userId, month, userLimit, keyLimit } = reservation;
    if (userLimit === null && keyLimit === null) return;
    const { user, key } = await this.reservations.committed(tx, reservation);
    const above = larger(aboveLimit(userLimit, user, Money.zero), aboveLimit(keyLimit, key, Money.zero));
    // More can stand above it that is not this eval's: earlier charges of the key, which keep their own corrections, or what the operator added.
    const excess = smaller(above, charge);
    if (excess.compare(Money.zero) <= 0) return;
    // A millisecond later, because ids sort by it: the correction stands behind its charge in the statement.
    await this.charges.insertCorrection(tx, correction(userId, month, Money.zero.minus(excess), SPEND_LIMIT_REASON, new Date(now.getTime() + 1)));
  }

  private posting(reservation: Reservation, settled: Settled, isFree: boolean, alongside: (settlement: Settlement, gate: Part) => Part): Posting {
    const charge = this.chargeRow(reservation, settled, isFree);
    const shares = breakdownOf(charge, settled, (cost) => this.chargeOf(cost, isFree));
    return { charge, shares, idempotency: reservation.idempotency, alongside: (gate) => alongside(charge, gate) };
  }

  private chargeRow(reservation: Reservation, settled: Settled, isFree: boolean): Charge {
    const createdAt = this.clock.now();
    return {
      id: newId('chg', createdAt),
      userId: reservation.userId,
      evalId: settled.evalId,
      keyId: reservation.keyId,
      month: reservation.month.toString(),
      models: settled.results.map(({ model }) => model),
      inputTokens: settled.results.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: settled.results.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      cost: settled.cost,
      margin: this.config.BILLING_MARGIN,
      charge: this.chargeOf(settled.cost, isFree),
      isFree,
      reason: null,
      occurredAt: settled.startedAt,
      createdAt,
    };
  }

  private oldestKey(): Date {
    return new Date(this.clock.now().getTime() - IDEMPOTENCY_MS);
  }

  private async renewActive(): Promise<void> {
    if (this.activeReservations.size === 0) return;
    // A failed renewal is no harm: redeeming an expired promise looks again what is left.
    await this.reservations.renew([...this.activeReservations.keys()], this.config.RESERVATION_TTL_SECONDS).catch(() => undefined);
  }
}

function withoutReservation(request: ReservationRequest): Reservation {
  if (!request.mayBeCharged) throw new ApiError('payment_required');
  return { ...request, isFree: false, isPersisted: false };
}

/** A row that corrects a month's charge. */
export function correction(userId: string, month: Month, amount: Money, reason: string, at: Date): Charge {
  return {
    id: newId('chg', at), userId, evalId: null, keyId: null, month: month.toString(), models: [], inputTokens: 0, outputTokens: 0,
    cost: Money.zero, margin: '0', charge: amount, isFree: false, reason, occurredAt: at, createdAt: at,
  };
}

function aboveLimit(limit: Money | null, { charged, promised }: Committed, charge: Money): Money {
  return limit === null ? Money.zero : charged.plus(promised).plus(charge).minus(limit);
}

function larger(left: Money, right: Money): Money {
  return left.compare(right) >= 0 ? left : right;
}

function smaller(left: Money, right: Money): Money {
  return left.compare(right) <= 0 ? left : right;
}

function refusal({ userLimit, keyLimit, maxCharge, month }: ReservationRequest, { user, key }: ReservationAnswer): ApiError {
  const [isUsers, isKeys] = [aboveLimit(userLimit, user, maxCharge), aboveLimit(keyLimit, key, maxCharge)].map((above) => above.compare(Money.zero) > 0);
  if (!isUsers && !isKeys) return new ApiError('payment_required');
  const [code, limit, { charged, promised }] = isUsers ? ['spend_limit_reached' as const, userLimit, user] : ['key_spend_limit_reached' as const, keyLimit, key];
  const left = (limit ?? Money.zero).minus(charged).minus(promised);
  return new ApiError(code, {
    details: {
      limit_usd: limit, charged_usd: charged, reserved_usd: promised,
      left_usd: left.compare(Money.zero) < 0 ? Money.zero : left, needed_usd: maxCharge, resets_at: month.end.toISOString(),
    },
  });
}
