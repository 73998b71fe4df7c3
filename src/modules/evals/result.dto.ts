import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
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
import { ApiExtends } from '../../platform/http/api-extends.decorator';
import type { Inclusions } from '../../platform/http/include.dto';

/** The schema of an applied parameter. */
export const APPLIED_VALUE = { oneOf: [{ type: 'number' }, { type: 'string' }] };

@ApiSchema({ name: 'ResultError', description: 'Why a model failed.' })
export class ResultErrorDto implements ResultError {
  @ApiProperty({
    enum: RESULT_ERROR_CODES,
    enumName: 'ResultErrorCode',
    enumSchema: { description: 'Why a model failed.' },
    description: 'Stable code for programs.',
  })
  code!: ResultErrorCode;

  @ApiProperty({
    description: 'Message for people; the wording may change.',
    example: 'The vendor is limiting our rate.',
  })
  message!: string;

  @ApiProperty({ description: 'Whether a retry may succeed.' })
  retryable!: boolean;
}

@ApiSchema({ name: 'ResultWarning', description: 'Something in which a result differs from what was asked for.' })
export class ResultWarningDto implements ResultWarning {
  @ApiProperty({
    enum: RESULT_WARNING_CODES,
    enumName: 'ResultWarningCode',
    enumSchema: { description: 'In what a result differs from what was asked for.' },
    description: 'Stable code for programs.',
  })
  code!: ResultWarningCode;

  @ApiProperty({
    description: 'Message for people; the wording may change.',
    example: 'This model does not accept a temperature; it was omitted.',
  })
  message!: string;
}

@ApiSchema({ name: 'TokenDetails', description: 'Parts of the token counts.' })
class TokenDetailsDto {
  @ApiProperty({ type: 'integer', description: "Input tokens read from the vendor's cache." })
  cached_input!: number;

  @ApiProperty({ type: 'integer', description: "Input tokens written to the vendor's cache." })
  cache_write!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens spent on reasoning.' })
  reasoning!: number;
}

/** Token counts as the vendor reported them. */
@ApiSchema({
  name: 'ReportedUsage',
  description: 'Token counts as the vendor reported them; null where it sent no finite number.',
})
class ReportedUsageDto {
  @ApiProperty({ type: 'number', nullable: true, description: 'Input tokens.' })
  input_tokens!: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Output tokens.' })
  output_tokens!: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: "Input tokens read from the vendor's cache." })
  cached_input!: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: "Input tokens written to the vendor's cache." })
  cache_write!: number | null;

  @ApiProperty({ type: 'number', nullable: true, description: 'Output tokens spent on reasoning.' })
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

/** How a model call was made, counted and priced; known when the model finishes. */
@ApiSchema({
  name: 'RunResultDetails',
  description:
    'How a model call was made, counted and priced, as it is known when the model finishes; only with `include=details`.',
})
export class RunResultDetailsDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    enum: ['stop', 'length', 'other', null],
    description: 'Why the model stopped; null when it failed.',
  })
  finish_reason!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Time to first token: milliseconds from dispatch to the first text. Null when there was none, and when the answer was asked for as a whole: vendors stream only for an event stream, `include=details` or `statistics` in the request, samples, a check of the first token, a run in the background, or more than 8,192 output tokens with the room for thought.',
  })
  ttft_ms!: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Output tokens per second of latency_ms; null when the model failed, and where `ttft_ms` is null.',
  })
  tokens_per_second!: number | null;

  @ApiProperty({ type: 'integer', description: 'Requests sent to the vendor, including retries.', example: 1 })
  attempts!: number;

  @ApiProperty({ description: "The vendor's name for the model." })
  vendor_model!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The model that answered, as the vendor names it; null where it names none, or where the name is a sentence, an address or longer than 200 characters.',
  })
  answered_by!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: APPLIED_VALUE,
    description:
      "The parameters that were sent, under the vendor's names. `reasoning_effort` is the effort, however the vendor writes it. `reasoning_tokens` is the room for thought within the output limit, where there is some.",
    example: { max_tokens: 500, temperature: 0.7 },
  })
  applied!: Record<string, number | string>;

  @ApiProperty({ type: TokenDetailsDto, description: 'Parts of the token counts.' })
  tokens!: TokenDetailsDto;

  @ApiPropertyOptional({
    type: ReportedUsageDto,
    description:
      'Token counts as the vendor reported them. Present only when they were implausible or above the possible maximum, so that other counts are billed. null where the vendor sent no finite number.',
  })
  reported?: ReportedUsageDto;

  @ApiProperty({
    type: RatesDto,
    nullable: true,
    description:
      'Rates this call was priced at, in USD per million tokens: of the requested model, or of the model that answered instead where it costs less; null when it failed.',
  })
  prices!: RatesDto | null;

  @ApiProperty({
    enum: ['vendor', 'catalog'],
    nullable: true,
    description:
      'Where cost_usd comes from: the vendor states a cost below the list price, or the tokens at the rates in `prices`; null when the model failed.',
  })
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
      ...(details.reported !== undefined && { reported: ReportedUsageDto.from(details.reported) }),
      prices: pricesOf(details.rates),
      cost_source: error !== null ? null : details.statedCost === undefined ? 'catalog' : 'vendor',
    };
  }
}

/** The details of a stored result, whose charge is known. */
@ApiSchema({
  name: 'ResultDetails',
  description: 'How a model call was made, counted, priced and charged; only with `include=details`.',
})
@ApiExtends(RunResultDetailsDto)
export class ResultDetailsDto extends RunResultDetailsDto {
  @ApiProperty({ type: 'number', description: 'Charge to the user for this call in USD, exact.', example: 0.00003234 })
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

/** The common members of every result. */
@ApiSchema({ name: 'ResultFields', description: 'The common members of every result.' })
class ResultFieldsDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ description: 'Provider label of the model, as in the model record.', example: 'simulator' })
  provider!: string;

  @ApiProperty({
    description: 'Text generated by the model; empty when it failed.',
    example: 'the model reads your prompt',
  })
  output!: string;

  @ApiProperty({
    type: 'integer',
    description: 'Milliseconds from dispatch to the last byte of the successful attempt, or to the failure.',
    example: 412,
  })
  latency_ms!: number;

  @ApiProperty({
    type: 'number',
    description: 'Cost of this model call in USD, exact, without our margin.',
    example: 0.0000231,
  })
  cost_usd!: Money;

  @ApiProperty({ type: 'integer', description: 'Input tokens, including cached ones.', example: 10 })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens, including reasoning.', example: 36 })
  output_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Input plus output tokens.', example: 46 })
  total_tokens!: number;

  @ApiPropertyOptional({ type: ResultErrorDto, description: 'Only when this model failed.' })
  error?: ResultError;

  @ApiPropertyOptional({ type: [ResultWarningDto], description: 'Only when there are warnings.' })
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
      ...(result.error !== null && { error: result.error }),
      ...(result.warnings.length > 0 && { warnings: result.warnings }),
    };
  }
}

/** The result of one model in a stored eval. */
@ApiSchema({ name: 'Result', description: 'The result of one model.' })
@ApiExtends(ResultFieldsDto)
export class ResultDto extends ResultFieldsDto {
  @ApiPropertyOptional({ type: ResultDetailsDto, description: 'Only with include=details.' })
  details?: ResultDetailsDto;

  @ApiPropertyOptional({
    type: [VerdictDto],
    description: 'One per check, in request order; only with include=checks.',
  })
  checks?: VerdictDto[];

  static from(result: Result, include: Inclusions = {}): ResultDto {
    return {
      ...ResultFieldsDto.fieldsOf(result),
      ...(include.details === true && { details: ResultDetailsDto.from(result) }),
      ...(include.checks === true && { checks: (result.checks ?? []).map((verdict) => VerdictDto.from(verdict)) }),
    };
  }
}

/** The result of one model while the eval runs. */
@ApiSchema({
  name: 'RunResult',
  description:
    'The result of one model as soon as it is known. What the call is charged is known when the eval is stored.',
})
@ApiExtends(ResultFieldsDto)
export class RunResultDto extends ResultFieldsDto {
  @ApiPropertyOptional({ type: RunResultDetailsDto, description: 'Only with include=details.' })
  details?: RunResultDetailsDto;

  @ApiPropertyOptional({ type: 'integer', description: 'Number of the sample, from 0; only where there are several.' })
  sample?: number;

  static from(result: Result, include: Inclusions, sample?: number): RunResultDto {
    return {
      ...ResultFieldsDto.fieldsOf(result),
      ...(sample !== undefined && { sample }),
      ...(include.details === true && { details: RunResultDetailsDto.from(result) }),
    };
  }
}
