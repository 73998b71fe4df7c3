import type { IssuedKey, KeySettings } from '../auth/accounts.service';
import type { ApiKey } from '../auth/api-key.entity';
import { SCOPES, type Scope } from '../auth/scopes';
import { MAX_AMOUNT_USD, Money } from '../../common/money';
import { parseDateTime } from '../../platform/http/validation/date-time';
import {
  amount,
  choice,
  dateTime,
  listOf,
  MAX_MODEL_ID_CHARACTERS,
  text,
  wholeNumber,
} from '../../platform/http/validation/field-kinds';
import { Field } from '../../platform/http/validation/field.decorators';
import {
  ApiExtends,
  Choice,
  DateTime,
  Parts,
  Schema,
  Text,
  Texts,
  UsdAmount,
} from '../../platform/http/answer.decorators';

const MAX_OVERLAP_SECONDS = 7 * 24 * 3600;
const MAX_ALLOWED_MODELS = 200;

@Schema('The settings of an API key to change; absent ones are left unchanged.')
export class KeySettingsRequest {
  @Field(
    dateTime(),
    'When the key expires: an RFC 3339 date-time with a time zone, in the future and not after the year 9999; null (the default) for never.',
    { optional: true, nullable: true },
  )
  expires_at?: string | null;

  @Field(
    amount(0, MAX_AMOUNT_USD, 6),
    'Maximum charge through this key per calendar month, in USD with at most 6 decimals and 15 significant digits; null for no limit.',
    { optional: true, nullable: true },
  )
  monthly_spend_limit_usd?: number | null;

  @Field(
    listOf(text(MAX_MODEL_ID_CHARACTERS), { of: 'model ids', min: 0, max: MAX_ALLOWED_MODELS }),
    'IDs of the models this key may call; null for all.',
    { optional: true, nullable: true },
  )
  allowed_models?: string[] | null;

  @Field(
    listOf(choice(SCOPES, 'Scope'), { of: 'scopes', min: 1, max: SCOPES.length, isUnique: true }),
    'What this key may do; null (the default) for everything.',
    { optional: true, nullable: true },
  )
  scopes?: Scope[] | null;

  /** Converts the body to domain values; absent members stay absent. */
  toSettings(): KeySettings {
    const { expires_at: expiresAt, monthly_spend_limit_usd: limit, allowed_models: allowedModels, scopes } = this;
    return {
      ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : parseDateTime(expiresAt) }),
      ...(limit !== undefined && { monthlySpendLimit: limit === null ? null : Money.fromNumber(limit) }),
      ...(allowedModels !== undefined && { allowedModels }),
      ...(scopes !== undefined && { scopes }),
    };
  }
}

@Schema('A new API key; absent settings take their defaults.')
@ApiExtends(KeySettingsRequest)
export class IssueKeyRequest extends KeySettingsRequest {
  @Field(text(100), 'What the key is for.')
  name!: string;
}

@Schema('How to replace an API key.')
export class RotateKeyRequest {
  static readonly mayBeAbsent = true;

  @Field(wholeNumber(0, MAX_OVERLAP_SECONDS), 'Seconds for which the old key keeps working.', {
    optional: true,
    default: 0,
  })
  overlap_seconds?: number;
}

@Schema('An API key without its secret.')
export class KeyDto {
  @Text('Key ID.')
  id!: string;

  @Text('What the key is for.')
  name!: string;

  @Text('First characters of the key.')
  prefix!: string;

  @DateTime('Creation time (UTC).')
  created_at!: string;

  @DateTime('When the key expires (UTC); null for never.', { nullable: true })
  expires_at!: string | null;

  @UsdAmount('Maximum charge per calendar month in USD; null for no limit.', { nullable: true })
  monthly_spend_limit_usd!: Money | null;

  @Texts('IDs of the models this key may call; null for all.', { nullable: true })
  allowed_models!: string[] | null;

  @Choice(SCOPES, 'What the key may do.', { enumName: 'Scope', isArray: true })
  scopes!: Scope[];

  @DateTime('When the key was revoked (UTC); null while it is not.', { nullable: true })
  revoked_at!: string | null;

  @DateTime('Recorded at most once a minute.', { nullable: true })
  last_used_at!: string | null;

  static from(key: ApiKey): KeyDto {
    return {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      created_at: key.createdAt.toISOString(),
      expires_at: key.expiresAt?.toISOString() ?? null,
      monthly_spend_limit_usd: key.monthlySpendLimit,
      allowed_models: key.allowedModels,
      scopes: key.scopes ?? [...SCOPES],
      revoked_at: key.revokedAt?.toISOString() ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
    };
  }
}

@Schema('A newly issued API key with its secret.')
@ApiExtends(KeyDto)
export class IssuedKeyDto extends KeyDto {
  @Text('The API key; shown only once.')
  api_key!: string;

  static issued({ key, secret }: IssuedKey): IssuedKeyDto {
    return { ...KeyDto.from(key), api_key: secret };
  }
}

@Schema("A user's keys.")
export class KeyListDto {
  @Parts(KeyDto, 'Newest first.')
  keys!: KeyDto[];
}
