import type { Money } from '../common/money';
import type { Scope } from './scopes';

/** Who is calling: the user behind the key, with what other modules need to know of them. */
export interface Caller {
  readonly userId: string;
  readonly keyId: string;
  readonly email: string;
  readonly hasPaymentMethod: boolean;
  /** Free evals a month. */
  readonly freeQuota: number;
  /** Most that may be charged in a calendar month, if there is a limit. */
  readonly monthlySpendLimit: Money | null;
  /** The same for the key alone. */
  readonly keySpendLimit: Money | null;
  /** Ids of the models the key may call; null for all. */
  readonly allowedModels: readonly string[] | null;
  /** What the key may do; null for all. */
  readonly scopes: readonly Scope[] | null;
}
