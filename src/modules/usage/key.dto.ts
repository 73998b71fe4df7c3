import type { ApiKey } from '../auth/api-key.entity';
import { SCOPES, type Scope } from '../auth/scopes';
import type { Remaining, SpendLimit } from '../billing/ledger.service';
import type { Money } from '../../common/money';
import { Month } from '../../common/month';
import { Choice, DateTime, Integer, Part, Schema, Text, Texts, UsdAmount } from '../../platform/http/answer.decorators';

@Schema('Free evals of a month.')
class FreeEvalsLimitDto {
  @Integer('Free evals a month.')
  limit!: number;

  @Integer('Free evals remaining this month.')
  remaining!: number;
}

@Schema('A limit on what may be charged in a month, in USD.')
class SpendLimitDto {
  @UsdAmount('Maximum charge a month in USD.')
  limit_usd!: Money;

  @UsdAmount('What may still be charged this month in USD, exact, without what running evals hold.')
  remaining_usd!: Money;

  static from(limit: SpendLimit | null): SpendLimitDto | null {
    return limit && { limit_usd: limit.limit, remaining_usd: limit.remaining };
  }
}

@Schema('What is left of the limits in the current month.')
class KeyLimitsDto {
  @Text('The current month, as YYYY-MM in UTC.')
  month!: string;

  @Part(FreeEvalsLimitDto, "The user's free evals.")
  free_evals!: FreeEvalsLimitDto;

  @Part(SpendLimitDto, "The key's monthly limit; null for none.", { nullable: true })
  key_spend!: SpendLimitDto | null;

  @Part(SpendLimitDto, "The user's monthly limit over all keys; null for none.", { nullable: true })
  user_spend!: SpendLimitDto | null;
}

@Schema('The API key of the request: whose it is, what it may do and what is left of its limits.')
export class KeyInUseDto {
  @Text('What the key is for.')
  name!: string;

  @Text('First characters of the key.')
  prefix!: string;

  @Text("The user's e-mail address.", { format: 'email' })
  email!: string;

  @Text("The user's first month, as YYYY-MM in UTC.")
  first_month!: string;

  @Choice(SCOPES, 'What the key may do.', { enumName: 'Scope', isArray: true })
  scopes!: Scope[];

  @Texts('IDs of the models this key may call; null for all.', { nullable: true })
  allowed_models!: string[] | null;

  @DateTime('When the key expires (UTC); null for never.', { nullable: true })
  expires_at!: string | null;

  @Part(KeyLimitsDto, 'What is left of the limits this month.')
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
