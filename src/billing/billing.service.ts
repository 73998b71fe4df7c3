import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Money } from '../common/money';
import { Month } from '../common/month';
import type { Charge } from './charge.entity';
import { ChargesRepository } from './charges.repository';
import { chargeOf } from './pricing';
import { ReservationsRepository, type Committed, type Idempotency, type IdempotencyState, type Redeemed, type ReservationAnswer, type ReservationRequest } from './reservations.repository';
import { sharesOf, type Settled } from './shares';

/** A promise to a running eval, as this process holds it. */
export type Reservation = ReservationRequest;

/** What an eval asks of the user's money before it runs. */
export interface Need {
  startedAt: Date;
  /** Whether the free quota covers all of its models. */
  wantsFree: boolean;
  /** The most it can cost us. */
  worstCost: Money;
  idempotency: Idempotency | undefined;
}

/** What a settled eval was charged. */
export interface Settlement {
  charge: Money;
  isFree: boolean;
}

const DAY_MS = 86_400_000;
const SPEND_LIMIT_REASON = 'Above the monthly spend limit; not charged.';

/** Money and quota: promise before the vendors are called, settle with the eval, or give back. */
@Injectable()
export class BillingService implements OnModuleInit, OnApplicationShutdown {
  /** Promises of this process whose eval is still running. */
  private readonly open = new Map<string, Reservation>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly charges: ChargesRepository,
    private readonly em: EntityManager,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  // A promise is short-lived so that a dead process blocks nothing for long; a living one keeps renewing its own.
  onModuleInit(): void {
    this.renewal = setInterval(() => void this.renewOpen(), (this.config.RESERVATION_SECONDS * 1000) / 3);
    this.renewal.unref();
  }

  // Not before: running evals are still drained until then.
  onApplicationShutdown(): void {
    clearInterval(this.renewal);
  }

  /** The eval that an Idempotency-Key stands for already. @throws ApiError idempotency_key_reused, idempotency_key_in_use */
  async findReplay(caller: Caller, idempotency: Idempotency): Promise<string | undefined> {
    return replayOf(await this.reservations.findIdempotency(caller.userId, idempotency.key, this.aDayAgo()), idempotency);
  }

  /**
   * Takes a free eval if its models and the quota allow it, else room under the spend limits.
   * @throws ApiError payment_required, spend_limit_reached, key_spend_limit_reached, idempotency_key_in_use, idempotency_key_reused
   */
  async reserve(caller: Caller, need: Need): Promise<Reservation> {
    const reservation = this.requestOf(caller, need);
    await this.em.fork().transactional((tx) => this.promise(tx, caller, reservation)).catch((error: unknown) => { throw inUseInstead(error); });
    this.open.set(reservation.id, reservation);
    return reservation;
  }

  /** Turns the promise into a charge, in the transaction that stores the eval. @throws UniqueConstraintViolationException when another run has settled the same Idempotency-Key */
  async settle(tx: EntityManager, reservation: Reservation, settled: Settled): Promise<Settlement> {
    const redeemed = await this.redeem(tx, reservation);
    const now = this.clock.now();
    const charge = this.chargeOf(settled.cost, redeemed.isFree);
    const row = this.chargeRow(reservation, settled, { charge, isFree: redeemed.isFree }, now);
    await this.charges.insert(tx, row, sharesOf(row, settled, (cost) => this.chargeOf(cost, redeemed.isFree)), reservation.idempotency);
    if (charge.compare(reservation.worstCharge) > 0 || !redeemed.isLive) await this.correctAboveLimit(tx, reservation, charge, now);
    return { charge, isFree: redeemed.isFree };
  }

  /** Ends a promise. One that was settled is gone already; any other is given back. */
  async release(reservation: Reservation, settled: boolean): Promise<void> {
    this.open.delete(reservation.id);
    // A promise that could not be given back ends by itself, so this never stands in the way of the real error.
    if (!settled) await this.reservations.release(reservation.id).catch(() => undefined);
  }

  /** What is charged now for a cost; the charges of an eval's results add up to its own. */
  chargeOf(cost: Money, isFree: boolean): Money {
    return chargeOf(cost, this.config.BILLING_MARGIN, isFree);
  }

  private async promise(tx: EntityManager, caller: Caller, reservation: Reservation): Promise<void> {
    const { idempotency, userId } = reservation;
    if (idempotency !== undefined) await this.charges.forgetIdempotency(tx, userId, idempotency.key, this.aDayAgo());
    const answer = await this.reservations.reserve(tx, reservation);
    if (!answer.isMade) throw overLimit(reservation, answer);
    if (!answer.isFree && !this.mayBeCharged(caller)) throw new ApiError('payment_required');
    if (idempotency === undefined) return;
    // Looked up again now that nobody else can settle it: another run may have done so since the first look.
    const state = await this.reservations.findIdempotency(userId, idempotency.key, this.aDayAgo(), tx);
    if (state !== 'running' && replayOf(state, idempotency) !== undefined) throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
  }

  private requestOf(caller: Caller, need: Need): Reservation {
    return {
      id: newId('rsv', need.startedAt),
      userId: caller.userId,
      keyId: caller.keyId,
      month: Month.of(need.startedAt),
      wantsFree: need.wantsFree,
      freeQuota: caller.freeQuota,
      worstCharge: this.chargeOf(need.worstCost, false),
      userLimit: caller.monthlySpendLimit,
      keyLimit: caller.keySpendLimit,
      idempotency: need.idempotency,
      seconds: this.config.RESERVATION_SECONDS,
    };
  }

  /** A promise that had run out (a long pause of this process) is made anew, and is free only while a free eval is left. */
  private async redeem(tx: EntityManager, reservation: Reservation): Promise<Redeemed> {
    const redeemed = await this.reservations.redeem(tx, reservation);
    if (redeemed.isLive || !reservation.wantsFree) return redeemed;
    const { isFree } = await this.reservations.reserve(tx, { ...reservation, userLimit: null, keyLimit: null, idempotency: undefined });
    await this.reservations.redeem(tx, reservation);
    return { ...redeemed, isFree };
  }

  /** A limit holds to the last digit even if a promise ran out or a vendor counted more than was thought possible: what is above it is taken off again, but never more than this charge. */
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

  private chargeRow(reservation: Reservation, settled: Settled, { charge, isFree }: Settlement, createdAt: Date): Charge {
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
      charge,
      isFree,
      reason: null,
      occurredAt: settled.startedAt,
      createdAt,
    };
  }

  private mayBeCharged(caller: Caller): boolean {
    return this.config.BILLING_ENFORCEMENT === 'meter' || caller.hasPaymentMethod;
  }

  private aDayAgo(): Date {
    return new Date(this.clock.now().getTime() - DAY_MS);
  }

  private async renewOpen(): Promise<void> {
    if (this.open.size === 0) return;
    // A failed renewal is no harm: redeeming an expired promise looks again what is left.
    await this.reservations.renew([...this.open.keys()], this.config.RESERVATION_SECONDS).catch(() => undefined);
  }
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

function replayOf(state: IdempotencyState, { fingerprint }: Idempotency): string | undefined {
  if (state === undefined) return undefined;
  if (state === 'running') throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1 });
  if (state.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', { param: 'Idempotency-Key' });
  return state.evalId;
}

function overLimit({ userLimit, keyLimit, worstCharge, month }: Reservation, { user, key }: ReservationAnswer): ApiError {
  const isUsers = aboveLimit(userLimit, user, worstCharge).compare(Money.zero) > 0;
  const [code, limit, { charged, promised }] = isUsers ? ['spend_limit_reached' as const, userLimit, user] : ['key_spend_limit_reached' as const, keyLimit, key];
  const left = (limit ?? Money.zero).minus(charged).minus(promised);
  return new ApiError(code, {
    details: {
      limit_usd: limit, charged_usd: charged, promised_to_running_evals_usd: promised,
      left_usd: left.compare(Money.zero) < 0 ? Money.zero : left, needed_usd: worstCharge, resets_at: month.end.toISOString(),
    },
  });
}

// Two requests of one key at the same instant: the database lets one of them make the promise.
function inUseInstead(error: unknown): unknown {
  const isTaken = error instanceof UniqueConstraintViolationException || (error as { code?: unknown }).code === '23505';
  return isTaken ? new ApiError('idempotency_key_in_use', { retryAfterSeconds: 1, cause: error }) : error;
}
