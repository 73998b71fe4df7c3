import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EFFORTS, type Effort } from '../../common/effort';
import type { Money } from '../../common/money';
import { RatesDto } from '../../platform/http/rates.dto';
import { RESPONSE_FORMATS, type Model, type Price, type PricePeriod, type Rates } from './catalog';
import type { PricedModel } from './models.service';
import { ApiExtends } from '../../platform/http/api-extends.decorator';

@ApiSchema({ name: 'TemperatureRange', description: 'A range of temperatures, both ends included.' })
class TemperatureRangeDto {
  @ApiProperty({ type: 'number', description: 'Lowest temperature.' })
  min!: number;

  @ApiProperty({ type: 'number', description: 'Highest temperature.' })
  max!: number;
}

@ApiSchema({ name: 'AcceptedParameters', description: 'Which parameters a model accepts.' })
class AcceptedParametersDto {
  @ApiProperty({
    type: TemperatureRangeDto,
    nullable: true,
    description:
      'Accepted range; null when the model does not accept a temperature, which is then omitted with a warning.',
  })
  temperature!: TemperatureRangeDto | null;
}

@ApiSchema({ name: 'Reasoning', description: 'How a model thinks before it writes.' })
class ReasoningDto {
  @ApiProperty({
    enum: EFFORTS,
    isArray: true,
    description: 'Efforts that it accepts. Only `none` means that thinking is on or off, without levels.',
  })
  efforts!: readonly Effort[];

  @ApiProperty({
    enum: EFFORTS,
    nullable: true,
    description: 'Effort if none is asked for; null when the vendor names none.',
  })
  default!: Effort | null;

  @ApiProperty({ description: 'Whether it always thinks.' })
  mandatory!: boolean;
}

@ApiSchema({ name: 'LongContextRates', description: 'Rates of long prompts, in USD per million tokens.' })
@ApiExtends(RatesDto)
class LongContextDto extends RatesDto {
  @ApiProperty({
    type: 'integer',
    description: 'Prompts with more input tokens than this are priced at these rates for all of their tokens.',
  })
  above_input_tokens!: number;
}

@ApiSchema({ name: 'PricePeriod', description: 'Rates that apply from one day to another, in USD per million tokens.' })
@ApiExtends(RatesDto)
class PricePeriodDto extends RatesDto {
  @ApiProperty({ format: 'date', description: 'First day (UTC).' })
  from!: string;

  @ApiProperty({ type: 'string', format: 'date', nullable: true, description: 'Last day (UTC); null when open-ended.' })
  until!: string | null;

  static from(period: PricePeriod): PricePeriodDto {
    return { ...ratesOf(period), from: period.from, until: period.until ?? null };
  }
}

@ApiSchema({ name: 'Deprecation', description: 'The announced end of a model.' })
class DeprecationDto {
  @ApiProperty({ format: 'date', description: 'First UTC day on which the model can no longer be called.' })
  on!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Model ID that the vendor recommends instead; null when there is none.',
  })
  successor!: string | null;
}

/** Details of a model, with `include=details`. */
@ApiSchema({
  name: 'ModelDetails',
  description: 'Limits, rates and price history of a model; only with `include=details`.',
})
export class ModelDetailsDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Context window in tokens; null when unknown.' })
  context_window!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Maximum output in tokens; null when unknown.' })
  max_output_tokens!: number | null;

  @ApiProperty({ type: AcceptedParametersDto, description: 'Accepted parameters.' })
  accepts!: AcceptedParametersDto;

  @ApiProperty({
    type: ReasoningDto,
    nullable: true,
    description: 'How it thinks before it writes; null when it does not, or when nothing is known of it.',
  })
  reasoning!: ReasoningDto | null;

  @ApiProperty({
    type: 'string',
    enum: RESPONSE_FORMATS,
    nullable: true,
    description: 'Most precise form of `response_format` that it accepts; null when it accepts none.',
  })
  response_format!: (typeof RESPONSE_FORMATS)[number] | null;

  @ApiProperty({ type: RatesDto, description: 'The current rates in USD.' })
  price!: RatesDto;

  @ApiProperty({ type: LongContextDto, nullable: true, description: 'Rates for long prompts, if they differ.' })
  long_context!: LongContextDto | null;

  @ApiProperty({ type: [PricePeriodDto], description: 'Past, current and announced prices.' })
  prices!: PricePeriodDto[];

  @ApiProperty({
    type: 'string',
    enum: ['preview'],
    nullable: true,
    description: '`preview` for a model that its vendor may change or end at short notice; null for a released one.',
  })
  stage!: 'preview' | null;

  @ApiProperty({
    type: DeprecationDto,
    nullable: true,
    description: 'When the model is discontinued, if the vendor has announced it.',
  })
  deprecation!: DeprecationDto | null;

  @ApiProperty({ description: 'Whether the free quota covers this model.' })
  free!: boolean;

  @ApiProperty({ format: 'date', description: 'Day on which the prices were last verified against their source.' })
  prices_seen!: string;

  static from(model: Model, price: Price, isFree: boolean): ModelDetailsDto {
    const { longContext } = price;
    const { accepts, reasoning } = model;
    return {
      context_window: model.contextWindow,
      max_output_tokens: model.maxOutputTokens,
      accepts: { temperature: accepts.temperature },
      reasoning:
        reasoning === undefined
          ? null
          : { efforts: reasoning.efforts, default: reasoning.default, mandatory: reasoning.mandatory },
      response_format: accepts.responseFormat ?? null,
      price: ratesOf(price),
      long_context:
        longContext === undefined
          ? null
          : { ...ratesOf(longContext), above_input_tokens: longContext.aboveInputTokens },
      prices: model.prices.map((period) => PricePeriodDto.from(period)),
      stage: model.stage ?? null,
      deprecation:
        model.deprecation === undefined
          ? null
          : { on: model.deprecation.on, successor: model.deprecation.successor ?? null },
      free: isFree,
      prices_seen: model.source.seen,
    };
  }
}

/** An available model with its current prices. */
@ApiSchema({ name: 'Model', description: 'An available model with its current prices.' })
export class ModelDto {
  @ApiProperty({ description: 'Model ID, used in the models array of a comparison request.', example: 'sim-swift' })
  id!: string;

  @ApiProperty({ description: 'Display name.', example: 'Simulated Swift' })
  name!: string;

  @ApiProperty({ description: 'Provider label.', example: 'simulator' })
  provider!: string;

  @ApiProperty({ type: 'number', description: 'Price per million input tokens in USD, exact.' })
  input_per_1m!: Money;

  @ApiProperty({ type: 'number', description: 'Price per million output tokens in USD, exact.' })
  output_per_1m!: Money;

  @ApiPropertyOptional({ type: ModelDetailsDto, description: 'Only with include=details.' })
  details?: ModelDetailsDto;

  static from({ model, price, isFree }: PricedModel, includeDetails: boolean): ModelDto {
    return {
      id: model.id,
      name: model.name,
      provider: model.provider,
      input_per_1m: price.input,
      output_per_1m: price.output,
      ...(includeDetails && { details: ModelDetailsDto.from(model, price, isFree) }),
    };
  }
}

/** Response body of GET /models. */
@ApiSchema({ name: 'ModelList', description: 'The models that can be called now.' })
export class ModelListDto {
  @ApiProperty({ type: [ModelDto], description: 'Sorted by provider, then id.' })
  models!: ModelDto[];
}

function ratesOf(rates: Rates): RatesDto {
  return {
    input_per_1m: rates.input,
    cached_input_per_1m: rates.cachedInput ?? rates.input,
    cache_write_per_1m: rates.cacheWrite ?? rates.input,
    output_per_1m: rates.output,
  };
}
