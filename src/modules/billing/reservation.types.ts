import type { Caller } from '../auth/caller';
import type { Money } from '../../common/money';
import type { Month } from '../../common/month';

/** An Idempotency-Key and the SHA-256 of the request it came with. */
export interface Idempotency {
  key: string;
  fingerprint: string;
}

/** The state of an Idempotency-Key: its eval, or in use now. */
export type IdempotencyState = { evalId: string; fingerprint: string } | 'running' | undefined;

/** The reservation of an eval that may have been begun before. */
export interface ReservationAttempt {
  id: string;
  /** Those of earlier attempts, which hold nothing any more once this one asks. */
  abandoned: readonly string[];
}

/** The money that an eval needs before it runs. */
export interface ReservationNeed {
  startedAt: Date;
  /** True if the free quota covers all of its models. */
  wantsFree: boolean;
  /** The most it can cost us; computed only for a reservation. */
  maxCost: () => Money;
  idempotency: Idempotency | undefined;
  attempt?: ReservationAttempt | undefined;
}

export interface ReservationRequest extends Pick<Caller, 'userId' | 'keyId'> {
  id: string;
  month: Month;
  /** True if a free eval is wanted, if one is left. */
  wantsFree: boolean;
  /** Free evals a month. */
  freeQuota: number;
  /** The most the eval can be charged if it is not free. */
  maxCharge: Money;
  userLimit: Money | null;
  keyLimit: Money | null;
  /** True if an eval that is not free may run. */
  mayBeCharged: boolean;
  idempotency: Idempotency | undefined;
  ttlSeconds: number;
}

/** The reservation of a running eval, as this process holds it. */
export interface ReservationHandle extends Omit<ReservationRequest, 'maxCharge'> {
  isFree: boolean;
  /** True if it is stored in the database; it is not if there is nothing to reserve. */
  isPersisted: boolean;
}

/** Money of a month that is charged already, and money that running evals may still be charged. */
export interface Spending {
  charged: Money;
  reserved: Money;
}

export interface ReservationAnswer {
  isMade: boolean;
  isFree: boolean;
  /** Free evals settled so far this month. */
  freeEvalCount: number;
  /** The user's limit at the reservation. */
  userLimit: Money | null;
  user: Spending;
  key: Spending;
}
