import { Money } from '../../common/money';
import type { Interval, IntervalMethod } from '../statistics/intervals';
import { roundedInterval, sixDigits } from '../statistics/rounding';
import type { EvalStatistics, Leader, Median, ModelStatistics } from './eval-statistics';
import {
  Choice,
  ConfidenceInterval,
  Decimal,
  Flag,
  Integer,
  ModelId,
  Part,
  Parts,
  Schema,
  Text,
} from '../../platform/http/answer.decorators';

const method = (value: IntervalMethod) => Choice([value], 'How the intervals of 95 % were made.');

@Schema('A median.', 'MedianStatistics')
class MedianDto {
  @Decimal('Median.', { example: 408.5 })
  p50!: number;

  @ConfidenceInterval('Interval of 95 % of the median; null below 6 answers.', [397, 951])
  p50_ci!: Interval | null;

  @method('order_statistics')
  method!: IntervalMethod;

  static from({ p50, p50Interval }: Median): MedianDto {
    return { p50: sixDigits(p50), p50_ci: roundedInterval(p50Interval), method: 'order_statistics' };
  }
}

@Schema('Latencies of the answers in milliseconds.')
class LatencyStatisticsDto extends MedianDto {
  @Decimal('90 % of the answers took no longer.', { example: 976.9 })
  p90!: number;

  @ConfidenceInterval('Interval of 95 % of p90; null below 36 answers.', null)
  p90_ci!: Interval | null;

  @Integer('Shortest.', { example: 388 })
  min!: number;

  @Integer('Longest.', { example: 1210 })
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

@Schema('Costs of the answers in USD, without our margin.')
class CostStatisticsDto {
  @Decimal('All together, exact.', { example: 0.0002 })
  total!: Money;

  @Decimal('Mean, to 12 decimals.', { example: 0.00002 })
  mean!: Money;

  @Decimal('Lowest, exact.', { example: 0.00002 })
  min!: Money;

  @Decimal('Highest, exact.', { example: 0.00002 })
  max!: Money;

  @Decimal('Standard deviation of a sample; null for one answer.', { nullable: true, example: 0 })
  stddev!: Money | null;

  @Decimal(
    'Mean if the vendor had cached no input. Repeats of a prompt are often cached, which calls with other prompts are not.',
    { example: 0.000021 },
  )
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

@Schema('Output tokens of the answers.')
class TokenStatisticsDto {
  @Decimal('Mean.', { example: 41 })
  mean!: number;

  @Integer('Fewest.', { example: 24 })
  min!: number;

  @Integer('Most.', { example: 63 })
  max!: number;
}

@Schema('How often an answer passed all checks.')
class CheckStatisticsDto {
  @Integer('Answers that passed.', { example: 9 })
  passed!: number;

  @Integer(
    'Answers that passed or failed. Where a check could not be decided and no other failed, the answer does not count.',
    { example: 10 },
  )
  of!: number;

  @Decimal('passed / of; null when of is 0.', { nullable: true, example: 0.9 })
  rate!: number | null;

  @ConfidenceInterval('Interval of 95 % of the rate; null with one sample.', [0.59585, 0.982124])
  ci!: Interval | null;

  @method('wilson')
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

@Schema('How far the answers of one model agree with each other.')
class SelfAgreementDto {
  @Integer('How many different answers it gave; those that agree count once.', { example: 3 })
  distinct!: number;

  @Decimal('Share of its most frequent answer.', { example: 0.8 })
  modal_share!: number;

  @Decimal('Mean similarity of two of its answers, from 0 to 1; null for one answer.', {
    nullable: true,
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

@Schema('The results of one model over all samples. Only its answers count; where there is none, null.')
class ModelStatisticsDto {
  @ModelId()
  model!: string;

  @Integer('Calls that were answered.', { example: 10 })
  answered!: number;

  @Integer('Calls that failed.', { example: 0 })
  failed!: number;

  @Part(LatencyStatisticsDto, 'Latencies.', { nullable: true })
  latency_ms!: LatencyStatisticsDto | null;

  @Part(MedianDto, 'Times to first token in milliseconds; null also when no answer had a text.', { nullable: true })
  ttft_ms!: MedianDto | null;

  @Part(CostStatisticsDto, 'Costs.', { nullable: true })
  cost_usd!: CostStatisticsDto | null;

  @Part(TokenStatisticsDto, 'Output tokens.', { nullable: true })
  output_tokens!: TokenStatisticsDto | null;

  @Part(CheckStatisticsDto, 'Only when the eval has checks.', { optional: true })
  checks?: CheckStatisticsDto;

  @Part(SelfAgreementDto, 'Agreement of the answers.', { nullable: true })
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
      checks: checks && CheckStatisticsDto.from(checks),
      agreement: agreement && SelfAgreementDto.from(agreement),
    };
  }
}

@Schema(
  'The model with the lowest median, and how likely its lead is more than luck. Answers without text count only where no model has more.',
)
class LeaderDto {
  @ModelId()
  model!: string;

  @Flag(
    'Whether it leads every other model by more than luck: the rounds favor it, 6 or more with p_value at most 0.05, or costs that never vary. In latency also only from a ratio of 1.25 on, however alike rounds in a row may be.',
  )
  confident!: boolean;

  @Decimal(
    'The largest p-value of the paired sign flip tests against each other model, 1 where rounds favor that one; null where there is nothing to test or too little.',
    { nullable: true, example: 0.00195313 },
  )
  p_value!: number | null;

  @Text('The same in words.', {
    example:
      'Only 5 rounds were answered by both sim-swift and sim-sage; to tell a difference from luck takes at least 6.',
  })
  because!: string;

  static from({ model, confident, pValue, because }: Leader): LeaderDto {
    return { model, confident, p_value: pValue === null ? null : sixDigits(pValue), because };
  }
}

@Schema(
  'The statistics of the samples of an eval, with their certainty. Numbers are rounded to 6 significant digits, amounts are not. With one sample there are no intervals. Of 20 intervals, 19 contain the figure that endless rounds of this prompt at this hour would give.',
)
export class EvalStatisticsDto {
  @Integer('How often each model was asked.', { example: 10 })
  samples!: number;

  @Parts(ModelStatisticsDto, 'One per model, in request order.')
  models!: ModelStatisticsDto[];

  @Part(LeaderDto, 'By latency, a timeout being slower than every answer; null when every model failed.', {
    nullable: true,
  })
  fastest!: LeaderDto | null;

  @Part(LeaderDto, 'By cost; null when every model failed.', { nullable: true })
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
