import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Money } from '../common/money';
import { Month } from '../common/month';
import { ModelsService, type PricedModel } from '../models/models.service';
import { BillingRepository, type ReservationRequest } from './billing.repository';
import { chargeOf, passThrough, type Pricing } from './pricing';

/** A promise to a running eval, as this process holds it. */
export type Reservation = ReservationRequest;

/** A user's month: what was run, what it costs and what is left. */
export interface MonthReport {
  month: Month;
  evalCount: number;
  charge: Money;
  freeEvalsRemaining: number;
}

/** What a settled eval was charged. */
export interface Settlement {
  charge: Money;
  isFree: boolean;
}

/** Money and quota: promise before the vendors are called, settle with the eval, or give back. */
@Injectable()
export class BillingService implements OnModuleInit, OnApplicationShutdown {
  /** Promises of this process whose eval is still running. */
  private readonly open = new Map<string, Reservation>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly repository: BillingRepository,
    private readonly models: ModelsService,
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

  /** Takes a free eval if these models and the quota allow it. @throws ApiError payment_required when it would be charged and may not */
  async reserve(caller: Caller, models: readonly PricedModel[], startedAt: Date): Promise<Reservation> {
    const reservation: Reservation = {
      id: newId('rsv', startedAt),
      userId: caller.userId,
      month: Month.of(startedAt),
      wantsFree: models.every(({ isFree }) => isFree),
      freeQuota: caller.freeQuota,
      seconds: this.config.RESERVATION_SECONDS,
    };
    await this.em.fork().transactional(async (tx) => {
      const isFree = await this.repository.reserve(tx, reservation);
      if (!isFree && !this.mayBeCharged(caller)) throw new ApiError('payment_required');
    });
    this.open.set(reservation.id, reservation);
    return reservation;
  }

  /** Turns the promise into a charge, in the transaction that stores the eval. */
  async settle(tx: EntityManager, reservation: Reservation, evalId: string, cost: Money): Promise<Settlement> {
    const now = this.clock.now();
    const isFree = await this.repository.redeem(tx, reservation);
    const charge = this.chargeOf(cost, isFree);
    await this.repository.insertCharge(tx, {
      userId: reservation.userId,
      id: newId('chg', now),
      evalId,
      month: reservation.month.toString(),
      cost,
      margin: this.config.BILLING_MARGIN,
      charge,
      isFree,
      createdAt: now,
    });
    return { charge, isFree };
  }

  /** Ends a promise. One that was settled is gone already; any other is given back. */
  async release(reservation: Reservation, settled: boolean): Promise<void> {
    this.open.delete(reservation.id);
    // A promise that could not be given back ends by itself, so this never stands in the way of the real error.
    if (!settled) await this.repository.release(reservation.id).catch(() => undefined);
  }

  /** The caller's month, zeros when nothing happened in it. */
  async month(caller: Caller, month: Month): Promise<MonthReport> {
    const total = await this.repository.findMonth(caller.userId, month);
    return {
      month,
      evalCount: total?.evalCount ?? 0,
      charge: total?.charge ?? Money.zero,
      freeEvalsRemaining: Math.max(0, caller.freeQuota - (total?.freeEvalCount ?? 0)),
    };
  }

  /** What is charged now for a cost; the charges of an eval's results add up to its own. */
  chargeOf(cost: Money, isFree: boolean): Money {
    return chargeOf(cost, this.config.BILLING_MARGIN, isFree);
  }

  /** How evals are charged now. */
  pricing(): Pricing {
    return passThrough(this.config.BILLING_MARGIN, this.models.freeIds());
  }

  private mayBeCharged(caller: Caller): boolean {
    return this.config.BILLING_ENFORCEMENT === 'meter' || caller.hasPaymentMethod;
  }

  private async renewOpen(): Promise<void> {
    if (this.open.size === 0) return;
    // A failed renewal is no harm: redeeming an expired promise looks again whether a free eval is left.
    await this.repository.renew([...this.open.keys()], this.config.RESERVATION_SECONDS).catch(() => undefined);
  }
}
