import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { ApiKey } from '../auth/api-key.entity';
import { SCOPES, type Scope } from '../auth/scopes';
import type { Remaining, SpendLimit } from '../billing/ledger.service';
import type { Money } from '../../common/money';
import { Month } from '../../common/month';

@ApiSchema({ name: 'FreeEvalsLimit', description: 'Free evals of a month.' })
class FreeEvalsLimitDto {
  @ApiProperty({ type: 'integer', description: 'Free evals a month.' })
  limit!: number;

  @ApiProperty({ type: 'integer', description: 'Free evals remaining this month.' })
  remaining!: number;
}

@ApiSchema({ name: 'SpendLimit', description: 'A limit on what may be charged in a month, in USD.' })
class SpendLimitDto {
  @ApiProperty({ type: 'number', description: 'Maximum charge a month in USD.' })
  limit_usd!: Money;

  @ApiProperty({
    type: 'number',
    description: 'What may still be charged this month in USD, exact, without what running evals hold.',
  })
  remaining_usd!: Money;

  static from(limit: SpendLimit | null): SpendLimitDto | null {
    return limit && { limit_usd: limit.limit, remaining_usd: limit.remaining };
  }
}

@ApiSchema({ name: 'KeyLimits', description: 'What is left of the limits in the current month.' })
class KeyLimitsDto {
  @ApiProperty({ description: 'The current month, as YYYY-MM in UTC.' })
  month!: string;

  @ApiProperty({ type: FreeEvalsLimitDto, description: "The user's free evals." })
  free_evals!: FreeEvalsLimitDto;

  @ApiProperty({ type: SpendLimitDto, nullable: true, description: "The key's monthly limit; null for none." })
  key_spend!: SpendLimitDto | null;

  @ApiProperty({
    type: SpendLimitDto,
    nullable: true,
    description: "The user's monthly limit over all keys; null for none.",
  })
  user_spend!: SpendLimitDto | null;
}

/** Response body of GET /key. */
@ApiSchema({
  name: 'KeyInUse',
  description: 'The API key of the request: whose it is, what it may do and what is left of its limits.',
})
export class KeyInUseDto {
  @ApiProperty({ description: 'What the key is for.' })
  name!: string;

  @ApiProperty({ description: 'First characters of the key.' })
  prefix!: string;

  @ApiProperty({ format: 'email', description: "The user's e-mail address." })
  email!: string;

  @ApiProperty({ description: "The user's first month, as YYYY-MM in UTC." })
  first_month!: string;

  @ApiProperty({ enum: SCOPES, enumName: 'Scope', isArray: true, description: 'What the key may do.' })
  scopes!: Scope[];

  @ApiProperty({ type: [String], nullable: true, description: 'IDs of the models this key may call; null for all.' })
  allowed_models!: string[] | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the key expires (UTC); null for never.',
  })
  expires_at!: string | null;

  @ApiProperty({ type: KeyLimitsDto, description: 'What is left of the limits this month.' })
  limits!: KeyLimitsDto;

  static from(key: ApiKey, { month, freeEvals, keySpend, userSpend }: Remaining): KeyInUseDto {
    return {
      name: key.name,
      prefix: key.prefix,
      email: key.user.email,
      first_month: Month.of(key.user.createdAt).toString(),
      scopes: key.scopes ?? [...SCOPES],
      allowed_models: key.allowedModels,
      expires_at: key.expiresAt?.toISOString() ?? null,
      limits: {
        month: month.toString(),
        free_evals: freeEvals,
        key_spend: SpendLimitDto.from(keySpend),
        user_spend: SpendLimitDto.from(userSpend),
      },
    };
  }
}
