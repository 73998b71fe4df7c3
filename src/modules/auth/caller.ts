import type { Config } from '../../platform/config/config';
import type { Money } from '../../common/money';
import type { Scope } from './scopes';
import type { User } from './user.entity';

/** A user, with what other modules need to know of them. */
export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly hasPaymentMethod: boolean;
  /** Free evals a month. */
  readonly freeQuota: number;
  /** Most that may be charged in a calendar month, if there is a limit. */
  readonly monthlySpendLimit: Money | null;
}

/** Who is calling: the user behind the key, and what the key may do. */
export interface Caller extends Account {
  readonly keyId: string;
  /** The same for the key alone. */
  readonly keySpendLimit: Money | null;
  /** Ids of the models the key may call; null for all. */
  readonly allowedModels: readonly string[] | null;
  /** The scopes of the key; null for all. */
  readonly scopes: readonly Scope[] | null;
}

/** The account of a user: what is not set on them takes the service's default. */
export function accountOf(user: User, { FREE_EVALS_PER_MONTH }: Pick<Config, 'FREE_EVALS_PER_MONTH'>): Account {
  return {
    userId: user.id,
    email: user.email,
    hasPaymentMethod: user.hasPaymentMethod,
    freeQuota: user.freeQuota ?? FREE_EVALS_PER_MONTH,
    monthlySpendLimit: user.monthlySpendLimit,
  };
}
