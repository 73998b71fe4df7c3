import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsEmail, IsInt, IsISO8601, IsNumber, IsOptional, IsString, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import type { ApiKey } from '../auth/api-key.entity';
import type { IssuedKey, UserSettings } from '../auth/auth.service';
import type { User } from '../auth/user.entity';
import { Money } from '../common/money';
import { IsNotBlank, IsStorableText, MayBeAbsent, wholeNumber } from '../common/validators';

const MOST_EVALS = 1_000_000_000;
const MOST_DOLLARS = 1_000_000_000;
const LONGEST_OVERLAP_SECONDS = 7 * 24 * 3600;

const MayBeNull = () => ValidateIf((_, value) => value !== undefined && value !== null);

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
  @IsNumber({ allowNaN: false, allowInfinity: false, maxDecimalPlaces: 6 })
  @Min(0)
  @Max(MOST_DOLLARS)
  monthly_spend_limit_usd?: number | null;

  /** The same in the service's words. */
  toSettings(): UserSettings {
    return {
      ...(this.free_quota !== undefined && { freeQuota: this.free_quota }),
      ...(this.has_payment_method !== undefined && { hasPaymentMethod: this.has_payment_method }),
      ...(this.monthly_spend_limit_usd !== undefined && { monthlySpendLimit: dollars(this.monthly_spend_limit_usd) }),
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

/** Body of POST /admin/users/{id}/keys. */
export class IssueKeyRequest {
  @ApiProperty({ maxLength: 100, description: 'What the key is for.', example: 'ci' })
  @IsString()
  @IsNotBlank()
  @MaxLength(100)
  @IsStorableText()
  name!: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'When the key stops working, ISO 8601; never by default.', example: '2027-01-01T00:00:00Z' })
  @MayBeAbsent()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string;
}

/** Body of POST /admin/keys/{id}/rotate. */
export class RotateKeyRequest {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: LONGEST_OVERLAP_SECONDS, default: 0, description: 'How long the old key goes on working, in seconds.', example: 3600 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_OVERLAP_SECONDS)
  overlap_seconds?: number;
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

/** A key without its secret. */
export class KeyDto {
  @ApiProperty({ example: 'key_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  id!: string;

  @ApiProperty({ example: 'ci' })
  name!: string;

  @ApiProperty({ description: 'How the key begins.', example: 'mcs_4fK2aB' })
  prefix!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  expires_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  revoked_at!: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, description: 'Kept to the minute.' })
  last_used_at!: string | null;

  static from(key: ApiKey): KeyDto {
    return {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      created_at: key.createdAt.toISOString(),
      expires_at: key.expiresAt?.toISOString() ?? null,
      revoked_at: key.revokedAt?.toISOString() ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
    };
  }
}

/** A key just issued. */
export class IssuedKeyDto extends KeyDto {
  @ApiProperty({ description: 'The key itself, shown this once only.' })
  api_key!: string;

  static issued({ key, secret }: IssuedKey): IssuedKeyDto {
    return { ...KeyDto.from(key), api_key: secret };
  }
}

/** Answer of GET /admin/users/{id}/keys. */
export class KeyListDto {
  @ApiProperty({ type: [KeyDto], description: 'Newest first.' })
  keys!: KeyDto[];
}

// The wire has a JSON number of at most six decimals, so its shortest text is the exact amount.
function dollars(amount: number | null): Money | null {
  return amount === null ? null : Money.of(amount.toFixed(6));
}
