import { VerdictDto } from '../checks/verdict.dto';
import { Money } from '../../common/money';
import {
  RESULT_ERROR_CODES,
  RESULT_WARNING_CODES,
  type ResultErrorCode,
  type ResultWarningCode,
} from '../../common/result-codes';
import { RatesDto } from '../../platform/http/rates.dto';
import type { ReportedUsage, Result, ResultDetails, ResultError, ResultWarning } from './result.entity';
import {
  ApiExtends,
  Choice,
  Decimal,
  Flag,
  Integer,
  member,
  ModelId,
  Part,
  Parts,
  Schema,
  Text,
  type About,
  UsdAmount,
} from '../../platform/http/answer.decorators';
import type { Inclusions } from '../../platform/http/include.dto';

/** The parameters that were sent to a vendor. */
export function SentParameters(description: string, about?: About): PropertyDecorator {
  const additionalProperties = { oneOf: [{ type: 'number' }, { type: 'string' }] };
  return member({ type: 'object', additionalProperties }, description, about);
}

@Schema('Why a model failed.')
export class ResultErrorDto implements ResultError {
  @Choice(RESULT_ERROR_CODES, 'Stable code for programs.', { enumName: 'ResultErrorCode' })
  code!: ResultErrorCode;

  @Text('Message for people; the wording may change.', { example: 'The vendor is limiting our rate.' })
  message!: string;

  @Flag('Whether a retry may succeed.')
  retryable!: boolean;
}

@Schema('Something in which a result differs from what was asked for.')
export class ResultWarningDto implements ResultWarning {
  @Choice(RESULT_WARNING_CODES, 'Stable code for programs.', { enumName: 'ResultWarningCode' })
  code!: ResultWarningCode;

  @Text('Message for people; the wording may change.', {
    example: 'This model does not accept a temperature; it was omitted.',
  })
  message!: string;
}

@Schema('Parts of the token counts.')
class TokenDetailsDto {
  @Integer("Input tokens read from the vendor's cache.")
  cached_input!: number;

  @Integer("Input tokens written to the vendor's cache.")
  cache_write!: number;

  @Integer('Output tokens spent on reasoning.')
  reasoning!: number;
}

@Schema('Token counts as the vendor reported them; null where it sent no finite number.')
class ReportedUsageDto {
  @Decimal('Input tokens.', { nullable: true })
  input_tokens!: number | null;

  @Decimal('Output tokens.', { nullable: true })
  output_tokens!: number | null;

  @Decimal("Input tokens read from the vendor's cache.", { nullable: true })
  cached_input!: number | null;

  @Decimal("Input tokens written to the vendor's cache.", { nullable: true })
  cache_write!: number | null;

  @Decimal('Output tokens spent on reasoning.', { nullable: true })
  reasoning!: number | null;

  static from(reported: ReportedUsage): ReportedUsageDto {
    return {
      input_tokens: reported.inputTokens,
      output_tokens: reported.outputTokens,
      cached_input: reported.cachedInputTokens,
      cache_write: reported.cacheWriteTokens,
      reasoning: reported.reasoningTokens,
    };
  }
}

@Schema(
  'How a model call was made, counted and priced, as it is known when the model finishes; only with `include=details`.',
)
export class RunResultDetailsDto {
  @Choice(['stop', 'length', 'other', null], 'Why the model stopped; null when it failed.', { nullable: true })
  finish_reason!: string | null;

  @Integer(
    'Time to first token: milliseconds from dispatch to the first text. Null when there was none, and when a whole answer was asked for: vendors stream only for an event stream, `include=details` or `statistics`, samples, a check of the first token, a background run, or more than 8,192 output tokens with the room for thought.',
    { nullable: true },
  )
  ttft_ms!: number | null;

  @Decimal('Output tokens per second of latency_ms; null when the model failed, and where `ttft_ms` is null.', {
    nullable: true,
  })
  tokens_per_second!: number | null;

  @Integer('Requests sent to the vendor, including retries.', { example: 1 })
  attempts!: number;

  @Text("The vendor's name for the model.")
  vendor_model!: string;

  @Text(
    'The model that answered, as the vendor names it; null where it names none, or where the name is a sentence, an address or longer than 200 characters.',
    { nullable: true },
  )
  answered_by!: string | null;

  @SentParameters(
    "The parameters that were sent, under the vendor's names. `reasoning_effort` is the effort, however the vendor writes it. `reasoning_tokens` is the room for thought within the output limit, where there is some.",
    { example: { max_tokens: 500, temperature: 0.7 } },
  )
  applied!: Record<string, number | string>;

  @Part(TokenDetailsDto, 'Parts of the token counts.')
  tokens!: TokenDetailsDto;

  @Part(
    ReportedUsageDto,
    'Token counts as the vendor reported them. Present only when they were implausible or above the possible maximum, so that other counts are billed. null where the vendor sent no finite number.',
    { optional: true },
  )
  reported?: ReportedUsageDto;

  @Part(
    RatesDto,
    'Rates this call was priced at, in USD per million tokens: of the requested model, or of the model that answered instead where it costs less; null when it failed.',
    { nullable: true },
  )
  prices!: RatesDto | null;

  @Choice(
    ['vendor', 'catalog'],
    'Where cost_usd comes from: the vendor states a cost below the list price, or the tokens at the rates in `prices`; null when the model failed.',
    { nullable: true },
  )
  cost_source!: 'vendor' | 'catalog' | null;

  static from({ details, latencyMs, outputTokens, error }: Result): RunResultDetailsDto {
    const hasSpeed = error === null && details.ttftMs !== null && latencyMs > 0;
    return {
      finish_reason: details.finishReason,
      ttft_ms: details.ttftMs,
      tokens_per_second: hasSpeed ? Math.round((outputTokens * 100_000) / latencyMs) / 100 : null,
      attempts: details.attempts,
      vendor_model: details.vendorModel,
      answered_by: details.answeredBy ?? null,
      // Sorted because jsonb does not preserve the order of its members.
      applied: Object.fromEntries(Object.entries(details.applied).sort()),
      tokens: {
        cached_input: details.cachedInputTokens,
        cache_write: details.cacheWriteTokens,
        reasoning: details.reasoningTokens,
      },
      reported: details.reported && ReportedUsageDto.from(details.reported),
      prices: pricesOf(details.rates),
      cost_source: error !== null ? null : details.statedCost === undefined ? 'catalog' : 'vendor',
    };
  }
}

@Schema('How a model call was made, counted, priced and charged; only with `include=details`.')
@ApiExtends(RunResultDetailsDto)
export class ResultDetailsDto extends RunResultDetailsDto {
  @UsdAmount('Charge to the user for this call in USD, exact.', { example: 0.00003234 })
  charge_usd!: Money;

  static override from(result: Result): ResultDetailsDto {
    return { charge_usd: Money.of(result.details.charge), ...RunResultDetailsDto.from(result) };
  }
}

/** Stored rates in an answer. */
export function pricesOf(rates: ResultDetails['rates']): RatesDto | null {
  return (
    rates && {
      input_per_1m: Money.of(rates.input),
      cached_input_per_1m: Money.of(rates.cachedInput),
      cache_write_per_1m: Money.of(rates.cacheWrite),
      output_per_1m: Money.of(rates.output),
    }
  );
}

@Schema('The common members of every result.')
class ResultFieldsDto {
  @ModelId()
  model!: string;

  @Text('Provider label of the model, as in the model record.', { example: 'simulator' })
  provider!: string;

  @Text('Text generated by the model; empty when it failed.', { example: 'the model reads your prompt' })
  output!: string;

  @Integer('Milliseconds from dispatch to the last byte of the successful attempt, or to the failure.', {
    example: 412,
  })
  latency_ms!: number;

  @UsdAmount('Cost of this model call in USD, exact, without our margin.', { example: 0.0000231 })
  cost_usd!: Money;

  @Integer('Input tokens, including cached ones.', { example: 10 })
  input_tokens!: number;

  @Integer('Output tokens, including reasoning.', { example: 36 })
  output_tokens!: number;

  @Integer('Input plus output tokens.', { example: 46 })
  total_tokens!: number;

  @Part(ResultErrorDto, 'Only when this model failed.', { optional: true })
  error?: ResultError;

  @Parts(ResultWarningDto, 'Only when there are warnings.', { optional: true })
  warnings?: ResultWarning[];

  protected static fieldsOf(result: Result): ResultFieldsDto {
    return {
      model: result.model,
      provider: result.provider,
      output: result.output,
      latency_ms: result.latencyMs,
      cost_usd: result.cost,
      input_tokens: result.inputTokens,
      output_tokens: result.outputTokens,
      total_tokens: result.inputTokens + result.outputTokens,
      error: result.error ?? undefined,
      ...(result.warnings.length > 0 && { warnings: result.warnings }),
    };
  }
}

@Schema('The result of one model.')
@ApiExtends(ResultFieldsDto)
export class ResultDto extends ResultFieldsDto {
  @Part(ResultDetailsDto, 'Only with include=details.', { optional: true })
  details?: ResultDetailsDto;

  @Parts(VerdictDto, 'One per check, in request order; only with include=checks.', { optional: true })
  checks?: VerdictDto[];

  static from(result: Result, include: Inclusions = {}): ResultDto {
    return {
      ...ResultFieldsDto.fieldsOf(result),
      ...(include.details === true && { details: ResultDetailsDto.from(result) }),
      ...(include.checks === true && { checks: (result.checks ?? []).map((verdict) => VerdictDto.from(verdict)) }),
    };
  }
}

@Schema('The result of one model as soon as it is known. What the call is charged is known when the eval is stored.')
@ApiExtends(ResultFieldsDto)
export class RunResultDto extends ResultFieldsDto {
  @Part(RunResultDetailsDto, 'Only with include=details.', { optional: true })
  details?: RunResultDetailsDto;

  @Integer('Number of the sample, from 0; only where there are several.', { optional: true })
  sample?: number;

  static from(result: Result, include: Inclusions, sample?: number): RunResultDto {
    return {
      ...ResultFieldsDto.fieldsOf(result),
      sample,
      ...(include.details === true && { details: RunResultDetailsDto.from(result) }),
    };
  }
}
