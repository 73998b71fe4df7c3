import type { Caller } from '../auth/caller';
import type { Money } from '../common/money';
import type { Month } from '../common/month';

/** An Idempotency-Key and the SHA-256 of the request it came with. */
export interface Idempotency {
  key: string;
  fingerprint: string;
}

/** What is known of an Idempotency-Key: its eval, or that it is in use right now. */
export type IdempotencyState = { evalId: string; fingerprint: string } | 'running' | undefined;

/** The reservation of an eval that may have been begun before. */
export interface ReservationAttempt {
  id: string;
  /** Those of earlier attempts, which hold nothing any more once this one asks. */
  abandoned: readonly string[];
}

/** What an eval asks of the user's money before it runs. */
export interface ReservationNeed {
  startedAt: Date;
  /** Whether the free quota covers all of its models. */
  wantsFree: boolean;
  /** The most it can cost us. */
  maxCost: Money;
  idempotency: Idempotency | undefined;
  attempt?: ReservationAttempt | undefined;
}

/** What a reservation is asked for. */
export interface ReservationRequest extends Pick<Caller, 'userId' | 'keyId'> {
  id: string;
  month: Month;
  /** Whether a free eval is wanted, if one is left. */
  wantsFree: boolean;
  /** Free evals a month. */
  freeQuota: number;
  /** The most the eval can be charged if it is not free. */
  maxCharge: Money;
  userLimit: Money | null;
  keyLimit: Money | null;
  /** Whether an eval that is not free may run. */
  mayBeCharged: boolean;
  idempotency: Idempotency | undefined;
  ttlSeconds: number;
}

/** What a running eval may count on, as this process holds it. */
export interface ReservationHandle extends ReservationRequest {
  /** Whether it holds a free eval. */
  isFree: boolean;
  /** Whether it stands in the database; it does not where there is nothing to keep from others. */
  isPersisted: boolean;
}

/** Money of a month that is charged already, and money that running evals may still be charged. */
export interface Spending {
  charged: Money;
  reserved: Money;
}

/** What came of asking for a reservation. */
export interface ReservationAnswer {
  isMade: boolean;
  isFree: boolean;
  /** Free evals settled so far this month. */
  freeEvalCount: number;
  user: Spending;
  key: Spending;
}
