import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsEmail, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import type { UserSettings } from '../auth/accounts.service';
import type { User } from '../auth/user.entity';
import type { Charge } from '../billing/charge.entity';
import { dollars, MOST_DOLLARS } from '../common/dollars';
import type { Money } from '../common/money';
import { MONTH_PATTERN } from '../common/month';
import { IsDollars, IsNotBlank, IsStorableText, MayBeAbsent, MayBeNull, wholeNumber } from '../common/validators';

const MOST_EVALS = 1_000_000_000;

/** What can be set on a user. */
export class UserSettingsRequest {
  @ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 0, maximum: MOST_EVALS, description: "Free evals a month; null for the service's default.", example: 100 })
  @MayBeNull()
  @IsInt()
  @Min(0)
  @Max(MOST_EVALS)
  free_quota?: number | null;

  @ApiPropertyOptional({ description: 'Whether a payment method is on file.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  has_payment_method?: boolean;

  @ApiPropertyOptional({ type: 'number', nullable: true, minimum: 0, maximum: MOST_DOLLARS, description: 'Most that may be charged in a calendar month, in USD with at most 6 decimals; null for no limit.', example: 50 })
  @MayBeNull()
  @IsDollars(6)
  @Min(0)
  @Max(MOST_DOLLARS)
  monthly_spend_limit_usd?: number | null;

  /** The same in the service's words. */
  toSettings(): UserSettings {
    return {
      ...(this.free_quota !== undefined && { freeQuota: this.free_quota }),
      ...(this.has_payment_method !== undefined && { hasPaymentMethod: this.has_payment_method }),
      ...(this.monthly_spend_limit_usd !== undefined && { monthlySpendLimit: dollarsOrNull(this.monthly_spend_limit_usd) }),
    };
  }
}

/** Body of POST /admin/users. */
export class CreateUserRequest extends UserSettingsRequest {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'dev@example.com' })
  @IsEmail()
  @MaxLength(254)
  email!: string;
}

/** Query of GET /admin/users. */
export class UserListQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => wholeNumber(value))
  @IsInt()
  @Min(1)
  @Max(1000)
  limit: number = 100;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0 })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => wholeNumber(value))
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  offset: number = 0;
}

/** A user, as the operator sees one. */
export class UserDto {
  @ApiProperty({ example: 'user_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  id!: string;

  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty({ type: 'integer', nullable: true, description: "null: the service's default." })
  free_quota!: number | null;

  @ApiProperty()
  has_payment_method!: boolean;

  @ApiProperty({ type: 'number', nullable: true, description: 'null: no limit.' })
  monthly_spend_limit_usd!: Money | null;

  @ApiProperty({ format: 'date-time' })
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

/** Answer of GET /admin/users. */
export class UserListDto {
  @ApiProperty({ type: [UserDto], description: 'Oldest first.' })
  users!: UserDto[];
}

/** An amount of the wire, where null stands for none. */
export function dollarsOrNull(amount: number | null): Money | null {
  return amount === null ? null : dollars(amount);
}

/** Body of POST /admin/users/{id}/adjustments. */
export class AdjustmentRequest {
  @ApiProperty({ type: 'number', minimum: -MOST_DOLLARS, maximum: MOST_DOLLARS, description: 'Added to the month\'s charge, in USD with at most 12 decimals; negative for a credit.', example: -2.5 })
  @IsDollars(12)
  @Min(-MOST_DOLLARS)
  @Max(MOST_DOLLARS)
  amount_usd!: number;

  @ApiProperty({ maxLength: 500, example: 'Goodwill for the outage of 3 November' })
  @IsString()
  @IsNotBlank()
  @MaxLength(500)
  @IsStorableText()
  reason!: string;

  @ApiPropertyOptional({ description: 'Month to correct, YYYY-MM in UTC; the current one by default.', example: '2026-11' })
  @MayBeAbsent()
  @Matches(MONTH_PATTERN, { message: 'month must be a real month written YYYY-MM' })
  month?: string;
}

/** A correction of a user's books. */
export class AdjustmentDto {
  @ApiProperty({ example: 'chg_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  id!: string;

  @ApiProperty({ example: '2026-11' })
  month!: string;

  @ApiProperty({ type: 'number', example: -2.5 })
  amount_usd!: Money;

  @ApiProperty()
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  static from(charge: Charge): AdjustmentDto {
    return { id: charge.id, month: charge.month, amount_usd: charge.charge, reason: charge.reason ?? '', created_at: charge.createdAt.toISOString() };
  }
}
