import { ApiProperty, ApiPropertyOptional, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import { Money } from '../../common/money';
import type { Interval, IntervalMethod } from '../statistics/intervals';
import { roundedInterval, sixDigits } from '../statistics/rounding';
import type { EvalStatistics, Leader, Median, ModelStatistics } from './eval-statistics';

const interval = (description: string, example: Interval | null): ApiPropertyOptions => ({
  type: [Number],
  nullable: true,
  minItems: 2,
  maxItems: 2,
  description,
  example,
});
const method = (value: IntervalMethod): ApiPropertyOptions => ({
  type: 'string',
  enum: [value],
  description: 'How the intervals of 95 % were made.',
});

@ApiSchema({ name: 'MedianStatistics', description: 'A median.' })
class MedianDto {
  @ApiProperty({ type: 'number', description: 'Median.', example: 408.5 })
  p50!: number;

  @ApiProperty(interval('Interval of 95 % of the median; null below 6 answers.', [397, 951]))
  p50_ci!: Interval | null;

  @ApiProperty(method('order_statistics'))
  method!: IntervalMethod;

  static from({ p50, p50Interval }: Median): MedianDto {
    return { p50: sixDigits(p50), p50_ci: roundedInterval(p50Interval), method: 'order_statistics' };
  }
}

@ApiSchema({ name: 'LatencyStatistics', description: 'Latencies of the answers in milliseconds.' })
class LatencyStatisticsDto extends MedianDto {
  @ApiProperty({ type: 'number', description: '90 % of the answers took no longer.', example: 976.9 })
  p90!: number;

  @ApiProperty(interval('Interval of 95 % of p90; null below 36 answers.', null))
  p90_ci!: Interval | null;

  @ApiProperty({ type: 'integer', description: 'Shortest.', example: 388 })
  min!: number;

  @ApiProperty({ type: 'integer', description: 'Longest.', example: 1210 })
  max!: number;

  static override from(latency: NonNullable<ModelStatistics['latencyMs']>): LatencyStatisticsDto {
    return {
      ...MedianDto.from(latency),
      p90: sixDigits(latency.p90),
      p90_ci: roundedInterval(latency.p90Interval),
      min: latency.min,
      max: latency.max,
    };
  }
}

@ApiSchema({ name: 'CostStatistics', description: 'Costs of the answers in USD, without our margin.' })
class CostStatisticsDto {
  @ApiProperty({ type: 'number', description: 'All together, exact.', example: 0.0002 })
  total!: Money;

  @ApiProperty({ type: 'number', description: 'Mean, to 12 decimals.', example: 0.00002 })
  mean!: Money;

  @ApiProperty({ type: 'number', description: 'Lowest, exact.', example: 0.00002 })
  min!: Money;

  @ApiProperty({ type: 'number', description: 'Highest, exact.', example: 0.00002 })
  max!: Money;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Standard deviation of a sample; null for one answer.',
    example: 0,
  })
  stddev!: Money | null;

  @ApiProperty({
    type: 'number',
    description:
      'Mean if the vendor had cached no input. Repeats of a prompt are often cached, which calls with other prompts are not.',
    example: 0.000021,
  })
  mean_without_cache!: Money;

  static from({
    total,
    mean,
    min,
    max,
    stddev,
    meanWithoutCache,
  }: NonNullable<ModelStatistics['cost']>): CostStatisticsDto {
    return {
      total,
      mean,
      min,
      max,
      stddev: stddev === null ? null : Money.fromNumber(sixDigits(stddev)),
      mean_without_cache: meanWithoutCache,
    };
  }
}

@ApiSchema({ name: 'TokenStatistics', description: 'Output tokens of the answers.' })
class TokenStatisticsDto {
  @ApiProperty({ type: 'number', description: 'Mean.', example: 41 })
  mean!: number;

  @ApiProperty({ type: 'integer', description: 'Fewest.', example: 24 })
  min!: number;

  @ApiProperty({ type: 'integer', description: 'Most.', example: 63 })
  max!: number;
}

@ApiSchema({ name: 'CheckStatistics', description: 'How often an answer passed all checks.' })
class CheckStatisticsDto {
  @ApiProperty({ type: 'integer', description: 'Answers that passed.', example: 9 })
  passed!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'Answers that passed or failed. Where a check could not be decided and no other failed, the answer does not count.',
    example: 10,
  })
  of!: number;

  @ApiProperty({ type: 'number', nullable: true, description: 'passed / of; null when of is 0.', example: 0.9 })
  rate!: number | null;

  @ApiProperty(interval('Interval of 95 % of the rate; null with one sample.', [0.59585, 0.982124]))
  ci!: Interval | null;

  @ApiProperty(method('wilson'))
  method!: IntervalMethod;

  static from({ passed, of, rate, interval }: NonNullable<ModelStatistics['checks']>): CheckStatisticsDto {
    return {
      passed,
      of,
      rate: rate === null ? null : sixDigits(rate),
      ci: roundedInterval(interval),
      method: 'wilson',
    };
  }
}

@ApiSchema({ name: 'SelfAgreement', description: 'How far the answers of one model agree with each other.' })
class SelfAgreementDto {
  @ApiProperty({
    type: 'integer',
    description: 'How many different answers it gave; those that agree count once.',
    example: 3,
  })
  distinct!: number;

  @ApiProperty({ type: 'number', description: 'Share of its most frequent answer.', example: 0.8 })
  modal_share!: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Mean similarity of two of its answers, from 0 to 1; null for one answer.',
    example: 0.93,
  })
  mean_similarity!: number | null;

  static from({ distinct, modalShare, meanSimilarity }: NonNullable<ModelStatistics['agreement']>): SelfAgreementDto {
    return {
      distinct,
      modal_share: sixDigits(modalShare),
      mean_similarity: meanSimilarity === null ? null : sixDigits(meanSimilarity),
    };
  }
}

@ApiSchema({
  name: 'ModelStatistics',
  description: 'The results of one model over all samples. Only its answers count; where there is none, null.',
})
class ModelStatisticsDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Calls that were answered.', example: 10 })
  answered!: number;

  @ApiProperty({ type: 'integer', description: 'Calls that failed.', example: 0 })
  failed!: number;

  @ApiProperty({ type: LatencyStatisticsDto, nullable: true, description: 'Latencies.' })
  latency_ms!: LatencyStatisticsDto | null;

  @ApiProperty({
    type: MedianDto,
    nullable: true,
    description: 'Times to first token in milliseconds; null also when no answer had a text.',
  })
  ttft_ms!: MedianDto | null;

  @ApiProperty({ type: CostStatisticsDto, nullable: true, description: 'Costs.' })
  cost_usd!: CostStatisticsDto | null;

  @ApiProperty({ type: TokenStatisticsDto, nullable: true, description: 'Output tokens.' })
  output_tokens!: TokenStatisticsDto | null;

  @ApiPropertyOptional({ type: CheckStatisticsDto, description: 'Only when the eval has checks.' })
  checks?: CheckStatisticsDto;

  @ApiProperty({ type: SelfAgreementDto, nullable: true, description: 'Agreement of the answers.' })
  agreement!: SelfAgreementDto | null;

  static from(statistics: ModelStatistics): ModelStatisticsDto {
    const { model, answered, failed, latencyMs, ttftMs, cost, outputTokens, checks, agreement } = statistics;
    return {
      model,
      answered,
      failed,
      latency_ms: latencyMs && LatencyStatisticsDto.from(latencyMs),
      ttft_ms: ttftMs && MedianDto.from(ttftMs),
      cost_usd: cost && CostStatisticsDto.from(cost),
      output_tokens: outputTokens && { ...outputTokens, mean: sixDigits(outputTokens.mean) },
      ...(checks !== undefined && { checks: CheckStatisticsDto.from(checks) }),
      agreement: agreement && SelfAgreementDto.from(agreement),
    };
  }
}

@ApiSchema({
  name: 'Leader',
  description:
    'The model with the lowest median, and how likely its lead is more than luck. Answers without text count only where no model has more.',
})
class LeaderDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({
    description:
      'Whether it leads every other model by more than luck: the rounds favor it, 6 or more with p_value at most 0.05, or costs that never vary. In latency also only from a ratio of 1.25 on, however alike rounds in a row may be.',
  })
  confident!: boolean;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description:
      'The largest p-value of the paired sign flip tests against each other model, 1 where rounds favor that one; null where there is nothing to test or too little.',
    example: 0.00195313,
  })
  p_value!: number | null;

  @ApiProperty({
    description: 'The same in words.',
    example:
      'Only 5 rounds were answered by both sim-swift and sim-sage; to tell a difference from luck takes at least 6.',
  })
  because!: string;

  static from({ model, confident, pValue, because }: Leader): LeaderDto {
    return { model, confident, p_value: pValue === null ? null : sixDigits(pValue), because };
  }
}

/** The statistics of an eval's samples, with their certainty. */
@ApiSchema({
  name: 'EvalStatistics',
  description:
    'The statistics of the samples of an eval, with their certainty. Numbers are rounded to 6 significant digits, amounts are not. With one sample there are no intervals. An interval is a range for this prompt, in these rounds: of 20 such ranges, 19 contain the figure that endless rounds at this hour would give.',
})
export class EvalStatisticsDto {
  @ApiProperty({ type: 'integer', description: 'How often each model was asked.', example: 10 })
  samples!: number;

  @ApiProperty({ type: [ModelStatisticsDto], description: 'One per model, in request order.' })
  models!: ModelStatisticsDto[];

  @ApiProperty({
    type: LeaderDto,
    nullable: true,
    description: 'By latency, a timeout being slower than every answer; null when every model failed.',
  })
  fastest!: LeaderDto | null;

  @ApiProperty({ type: LeaderDto, nullable: true, description: 'By cost; null when every model failed.' })
  cheapest!: LeaderDto | null;

  static from({ samples, models, fastest, cheapest }: EvalStatistics): EvalStatisticsDto {
    return {
      samples,
      models: models.map((model) => ModelStatisticsDto.from(model)),
      fastest: fastest && LeaderDto.from(fastest),
      cheapest: cheapest && LeaderDto.from(cheapest),
    };
  }
}
