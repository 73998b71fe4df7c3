import { EFFORTS, type Effort } from '../../common/effort';
import type { Money } from '../../common/money';
import { RatesDto } from '../../platform/http/rates.dto';
import { RESPONSE_FORMATS, type Model, type Price, type PricePeriod, type Rates } from './catalog';
import type { PricedModel } from './models.service';
import {
  ApiExtends,
  Choice,
  Decimal,
  Flag,
  Integer,
  Part,
  Parts,
  Schema,
  Text,
} from '../../platform/http/answer.decorators';

@Schema('A range of temperatures, both ends included.')
class TemperatureRangeDto {
  @Decimal('Lowest temperature.')
  min!: number;

  @Decimal('Highest temperature.')
  max!: number;
}

@Schema('Which parameters a model accepts.')
class AcceptedParametersDto {
  @Part(
    TemperatureRangeDto,
    'Accepted range; null when the model does not accept a temperature, which is then omitted with a warning.',
    { nullable: true },
  )
  temperature!: TemperatureRangeDto | null;
}

@Schema('How a model thinks before it writes.')
class ReasoningDto {
  @Choice(EFFORTS, 'Efforts that it accepts. Only `none` means that thinking is on or off, without levels.', {
    isArray: true,
  })
  efforts!: readonly Effort[];

  @Choice(EFFORTS, 'Effort if none is asked for; null when the vendor names none.', { nullable: true })
  default!: Effort | null;

  @Flag('Whether it always thinks.')
  mandatory!: boolean;
}

@Schema('Rates of long prompts, in USD per million tokens.', 'LongContextRates')
@ApiExtends(RatesDto)
class LongContextDto extends RatesDto {
  @Integer('Prompts with more input tokens than this are priced at these rates for all of their tokens.')
  above_input_tokens!: number;
}

@Schema('Rates that apply from one day to another, in USD per million tokens.')
@ApiExtends(RatesDto)
class PricePeriodDto extends RatesDto {
  @Text('First day (UTC).', { format: 'date' })
  from!: string;

  @Text('Last day (UTC); null when open-ended.', { nullable: true, format: 'date' })
  until!: string | null;

  static from(period: PricePeriod): PricePeriodDto {
    return { ...ratesOf(period), from: period.from, until: period.until ?? null };
  }
}

@Schema('The announced end of a model.')
class DeprecationDto {
  @Text('First UTC day on which the model can no longer be called.', { format: 'date' })
  on!: string;

  @Text('Model ID that the vendor recommends instead; null when there is none.', { nullable: true })
  successor!: string | null;
}

@Schema('Limits, rates and price history of a model; only with `include=details`.')
export class ModelDetailsDto {
  @Integer('Context window in tokens; null when unknown.', { nullable: true })
  context_window!: number | null;

  @Integer('Maximum output in tokens; null when unknown.', { nullable: true })
  max_output_tokens!: number | null;

  @Part(AcceptedParametersDto, 'Accepted parameters.')
  accepts!: AcceptedParametersDto;

  @Part(ReasoningDto, 'How it thinks before it writes; null when it does not, or when nothing is known of it.', {
    nullable: true,
  })
  reasoning!: ReasoningDto | null;

  @Choice(RESPONSE_FORMATS, 'Most precise form of `response_format` that it accepts; null when it accepts none.', {
    nullable: true,
  })
  response_format!: (typeof RESPONSE_FORMATS)[number] | null;

  @Part(RatesDto, 'The current rates in USD.')
  price!: RatesDto;

  @Part(LongContextDto, 'Rates for long prompts, if they differ.', { nullable: true })
  long_context!: LongContextDto | null;

  @Parts(PricePeriodDto, 'Past, current and announced prices.')
  prices!: PricePeriodDto[];

  @Choice(
    ['preview'],
    '`preview` for a model that its vendor may change or end at short notice; null for a released one.',
    { nullable: true },
  )
  stage!: 'preview' | null;

  @Part(DeprecationDto, 'When the model is discontinued, if the vendor has announced it.', { nullable: true })
  deprecation!: DeprecationDto | null;

  @Flag('Whether the free quota covers this model.')
  free!: boolean;

  @Text('Day on which the prices were last verified against their source.', { format: 'date' })
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

@Schema('An available model with its current prices.')
export class ModelDto {
  @Text('Model ID, used in the models array of a comparison request.', { example: 'sim-swift' })
  id!: string;

  @Text('Display name.', { example: 'Simulated Swift' })
  name!: string;

  @Text('Provider label.', { example: 'simulator' })
  provider!: string;

  @Decimal('Price per million input tokens in USD, exact.')
  input_per_1m!: Money;

  @Decimal('Price per million output tokens in USD, exact.')
  output_per_1m!: Money;

  @Part(ModelDetailsDto, 'Only with include=details.', { optional: true })
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

@Schema('The models that can be called now.')
export class ModelListDto {
  @Parts(ModelDto, 'Sorted by provider, then id.')
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
