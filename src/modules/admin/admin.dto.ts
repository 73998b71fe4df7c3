import type { UserSettings } from '../auth/accounts.service';
import type { User } from '../auth/user.entity';
import type { Charge } from '../billing/charge.entity';
import { MAX_AMOUNT_USD, Money } from '../../common/money';
import { email } from '../../platform/http/validation/email-kind';
import { amount, flag, month, notZero, text, wholeNumber } from '../../platform/http/validation/field-kinds';
import { digits, Field, QueryField } from '../../platform/http/validation/field.decorators';
import {
  ApiExtends,
  DateTime,
  Flag,
  Integer,
  Parts,
  Schema,
  Text,
  UsdAmount,
} from '../../platform/http/answer.decorators';

const MAX_FREE_QUOTA = 1_000_000_000;

@Schema('The settings of a user to change; absent ones are left unchanged.')
export class UserSettingsRequest {
  @Field(wholeNumber(0, MAX_FREE_QUOTA), "Free evals per month; null for the service's default.", {
    optional: true,
    nullable: true,
  })
  free_quota?: number | null;

  @Field(flag(), 'Whether a payment method is on file.', { optional: true })
  has_payment_method?: boolean;

  @Field(
    amount(0, MAX_AMOUNT_USD, 6),
    'Maximum charge per calendar month, in USD with at most 6 decimals and 15 significant digits; null for no limit.',
    { optional: true, nullable: true },
  )
  monthly_spend_limit_usd?: number | null;

  /** Converts the body to domain values; absent members stay absent. */
  toSettings(): UserSettings {
    return {
      ...(this.free_quota !== undefined && { freeQuota: this.free_quota }),
      ...(this.has_payment_method !== undefined && { hasPaymentMethod: this.has_payment_method }),
      ...(this.monthly_spend_limit_usd !== undefined && {
        monthlySpendLimit: toMoneyOrNull(this.monthly_spend_limit_usd),
      }),
    };
  }
}

@Schema('A new user; absent settings take their defaults.')
@ApiExtends(UserSettingsRequest)
export class CreateUserRequest extends UserSettingsRequest {
  @Field(email(), 'E-mail address, unique among users.')
  email!: string;
}

/** Query of GET /admin/users. */
export class UserListQuery {
  @QueryField(text(320), 'Only the user with this e-mail address, in upper or lower case.')
  email?: string;

  @QueryField(wholeNumber(1, 1000), 'Number of users to return.', { read: digits, default: 100 })
  limit: number = 100;

  @QueryField(wholeNumber(0, Number.MAX_SAFE_INTEGER), 'Number of users to skip.', { read: digits, default: 0 })
  offset: number = 0;
}

@Schema('A user, as the operator sees it.')
export class UserDto {
  @Text('User ID.')
  id!: string;

  @Text('E-mail address.', { format: 'email' })
  email!: string;

  @Integer("Free evals per month; null for the service's default.", { nullable: true })
  free_quota!: number | null;

  @Flag('Whether a payment method is on file.')
  has_payment_method!: boolean;

  @UsdAmount('Maximum charge per calendar month in USD; null for no limit.', { nullable: true })
  monthly_spend_limit_usd!: Money | null;

  @DateTime('Creation time (UTC).')
  created_at!: string;

  static from(user: User): UserDto {
    return {
      id: user.id,
      email: user.email,
      free_quota: user.freeQuota,
      has_payment_method: user.hasPaymentMethod,
      monthly_spend_limit_usd: user.monthlySpendLimit,
      created_at: user.createdAt.toISOString(),
    };
  }
}

@Schema('A page of users.')
export class UserListDto {
  @Parts(UserDto, 'Oldest first.')
  users!: UserDto[];
}

/** Converts an amount of a request, where null means none. */
export function toMoneyOrNull(amount: number | null): Money | null {
  return amount === null ? null : Money.fromNumber(amount);
}

@Schema("A correction of a user's charge to enter.")
export class AdjustmentRequest {
  @Field(
    notZero(amount(-MAX_AMOUNT_USD, MAX_AMOUNT_USD, 12)),
    "Amount to add to the month's charge, in USD, not 0, with at most 12 decimals and 15 significant digits; negative for a credit.",
  )
  amount_usd!: number;

  @Field(text(500), 'Why; shown in the statement.')
  reason!: string;

  @Field(month(), 'Month to correct, as YYYY-MM in UTC; the current month by default.', { optional: true })
  month?: string;
}

@Schema("A correction of a user's charge.")
export class AdjustmentDto {
  @Text('Charge ID.')
  id!: string;

  @Text('Corrected month, as YYYY-MM in UTC.')
  month!: string;

  @UsdAmount("Amount added to the month's charge, in USD; negative for a credit.")
  amount_usd!: Money;

  @Text('Why; shown in the statement.')
  reason!: string;

  @DateTime('Time of the correction (UTC).')
  created_at!: string;

  static from(charge: Charge): AdjustmentDto {
    return {
      id: charge.id,
      month: charge.month,
      amount_usd: charge.charge,
      reason: charge.reason ?? '',
      created_at: charge.createdAt.toISOString(),
    };
  }
}
