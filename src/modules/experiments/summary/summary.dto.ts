import { ApiProperty, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Interval, IntervalMethod } from '../../statistics/intervals';

const number = (description: string, example: number): ApiPropertyOptions => ({ type: 'number', description, example });
const nullable = (description: string, example: number | null): ApiPropertyOptions => ({
  type: 'number',
  nullable: true,
  description,
  example,
});
const integer = (description: string, example: number): ApiPropertyOptions => ({
  type: 'integer',
  description,
  example,
});
const interval = (description: string, example: Interval): ApiPropertyOptions => ({
  type: [Number],
  nullable: true,
  minItems: 2,
  maxItems: 2,
  description: `Interval of 95 % of ${description}, for rows like these; null with too few rows.`,
  example,
});
const method = (...values: IntervalMethod[]): ApiPropertyOptions => ({
  type: 'string',
  enum: values,
  description: 'How the intervals of 95 % were made. Rows of one group count as one cluster.',
});

/** A metric in which two models are compared. */
export type ComparedMetric = 'passed' | 'score' | 'latency_ms' | 'cost_usd';

@ApiSchema({
  name: 'ExperimentRate',
  description: 'A share of decided answers. Each row counts once, whatever its samples.',
})
export class RateDto {
  @ApiProperty(number('Mean share of the rows.', 0.83))
  rate!: number;

  @ApiProperty(interval('the rate', [0.783, 0.868]))
  ci!: Interval | null;

  @ApiProperty(method('wilson', 'clustered_t'))
  method!: IntervalMethod;
}

@ApiSchema({ name: 'ExperimentCheckRate', description: 'How often answers passed one check.' })
export class CheckRateDto extends RateDto {
  @ApiProperty({ description: 'Name of the check.', example: 'contains-1' })
  name!: string;
}

@ApiSchema({ name: 'ExperimentMean', description: 'A mean over rows. Each row counts once, whatever its samples.' })
export class MeanDto {
  @ApiProperty(number('Mean of the rows.', 0.91))
  mean!: number;

  @ApiProperty(interval('the mean', [0.88, 0.94]))
  ci!: Interval | null;

  @ApiProperty(method('clustered_t'))
  method!: IntervalMethod;
}

@ApiSchema({ name: 'ExperimentCost', description: 'Cost of a call in USD, without our margin.' })
export class CostMeanDto extends MeanDto {
  @ApiProperty(number('All calls together, to 12 decimals.', 0.0123))
  total!: number;

  @ApiProperty(number('Mean if the vendor had cached no input.', 0.000041))
  mean_without_cache!: number;
}

@ApiSchema({
  name: 'ExperimentLatency',
  description:
    'Latency of rows in milliseconds: of each row the median of its samples. A timeout is slower than every answer.',
})
export class LatencyQuantilesDto {
  @ApiProperty(nullable('Median; null where it is a timeout.', 812))
  p50!: number | null;

  @ApiProperty(interval('the median', [790, 840]))
  p50_ci!: Interval | null;

  @ApiProperty(nullable('90 % of the rows took no longer; null where it is a timeout.', 1401))
  p90!: number | null;

  @ApiProperty(interval('p90', [1320, 1502]))
  p90_ci!: Interval | null;

  @ApiProperty(method('order_statistics', 'woodruff'))
  method!: IntervalMethod;

  @ApiProperty(integer('Calls that timed out.', 0))
  timeouts!: number;
}

@ApiSchema({
  name: 'ExperimentModel',
  description:
    'The figures of one model over all rows; null where no row has one. Missing is not wrong: failed calls and undecided checks do not count.',
})
export class ModelSummaryDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty(integer('Rows with an answer.', 300))
  rows!: number;

  @ApiProperty(integer('Calls that were answered.', 900))
  answered!: number;

  @ApiProperty(integer('Calls that failed.', 0))
  failed!: number;

  @ApiProperty(number('Share of all calls that count in the ranking.', 1))
  coverage!: number;

  @ApiProperty({ type: RateDto, nullable: true, description: 'Answers that passed all checks.' })
  passed!: RateDto | null;

  @ApiProperty(nullable('Share of rows in which every sample passed; null with one sample.', 0.71))
  all_pass_rate!: number | null;

  @ApiProperty(nullable('Share of rows in which at least one sample passed; null with one sample.', 0.93))
  any_pass_rate!: number | null;

  @ApiProperty({ type: MeanDto, nullable: true, description: 'Score by the weights of the checks, from 0 to 1.' })
  score!: MeanDto | null;

  @ApiProperty({ type: [CheckRateDto], description: 'The checks of the experiment that were decided.' })
  checks!: CheckRateDto[];

  @ApiProperty({ type: LatencyQuantilesDto, nullable: true, description: 'Latencies.' })
  latency_ms!: LatencyQuantilesDto | null;

  @ApiProperty({ type: CostMeanDto, nullable: true, description: 'Costs.' })
  cost_usd!: CostMeanDto | null;

  @ApiProperty({ type: MeanDto, nullable: true, description: 'Output tokens of an answer.' })
  output_tokens!: MeanDto | null;

  @ApiProperty(
    nullable(
      'Mean share of the samples of a row that agree with the most frequent answer; null with one sample.',
      0.94,
    ),
  )
  self_agreement!: number | null;
}

@ApiSchema({ name: 'ExperimentFlips', description: 'Rows in which the two differ.' })
export class FlipsDto {
  @ApiProperty(integer('Rows in which the first is ahead.', 21))
  gained!: number;

  @ApiProperty(integer('Rows in which the second is ahead.', 17))
  lost!: number;
}

@ApiSchema({ name: 'ExperimentPair', description: 'Two models in one metric, over the rows that both have.' })
export class ModelPairDto {
  @ApiProperty({
    type: [String],
    minItems: 2,
    maxItems: 2,
    description: 'The first and the second model.',
    example: ['sim-swift', 'sim-sage'],
  })
  models!: string[];

  @ApiProperty({
    type: 'string',
    enum: ['passed', 'score', 'latency_ms', 'cost_usd'],
    description: '`score` only where no check decided what passes.',
  })
  metric!: ComparedMetric;

  @ApiProperty(integer('Rows that both have.', 300))
  rows!: number;

  @ApiProperty(nullable('Mean of the first minus the second, of `passed` and `score`.', 0.013))
  difference!: number | null;

  @ApiProperty(
    nullable(
      'Geometric mean of the first over the second, of `latency_ms` and `cost_usd`; null where an amount is 0.',
      null,
    ),
  )
  ratio!: number | null;

  @ApiProperty(interval('the difference or ratio', [-0.029, 0.055]))
  ci!: Interval | null;

  @ApiProperty(nullable('Of a paired sign flip test; null while the experiment is not final.', 0.55))
  p_value!: number | null;

  @ApiProperty(nullable("The same, adjusted by Holm's method for all pairs in this metric.", 0.55))
  p_adjusted!: number | null;

  @ApiProperty({
    type: 'string',
    enum: ['better', 'worse', 'cannot_tell', null],
    nullable: true,
    description:
      'Of the first model. `better` takes p_adjusted of at most 0.05 and a coverage of 0.95, in latency also a ratio of 1.25; null while the experiment is not final.',
  })
  verdict!: 'better' | 'worse' | 'cannot_tell' | null;

  @ApiProperty({ description: 'The same in words; the wording may change.' })
  words!: string;

  @ApiProperty({ type: FlipsDto, nullable: true, description: 'null of latency and cost.' })
  flips!: FlipsDto | null;

  @ApiProperty(nullable('Difference that such rows show with a probability of 80 %; null of latency and cost.', 0.06))
  detectable_difference!: number | null;
}

@ApiSchema({ name: 'ExperimentRank', description: 'The places that a model may have.' })
export class RankRangeDto {
  @ApiProperty(integer('1 plus the number of models that are better.', 1))
  best!: number;

  @ApiProperty(integer('The number of models minus the number that are worse.', 3))
  worst!: number;
}

@ApiSchema({ name: 'ExperimentRankedModel', description: 'A model and its places.' })
export class RankedModelDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: RankRangeDto, description: 'Its places.' })
  rank!: RankRangeDto;
}

@ApiSchema({ name: 'ExperimentRanking', description: 'The models by what can be told from luck.' })
export class RankingDto {
  @ApiProperty({ type: 'string', enum: ['passed', 'score'], description: 'What they are ranked by.' })
  metric!: 'passed' | 'score';

  @ApiProperty({ type: [RankedModelDto], description: 'By place; a place may be shared.' })
  models!: RankedModelDto[];
}

/** Response body of GET /experiments/:id/summary. It is stored in this form. */
@ApiSchema({
  name: 'ExperimentSummary',
  description:
    'The figures of an experiment. Numbers are rounded to 6 significant digits. Intervals are for rows like these: of 20 such ranges, 19 contain the figure that all such rows would give.',
})
export class ExperimentSummaryDto {
  @ApiProperty({
    description: 'Whether the experiment has ended. Before, nothing is tested and no model is called better.',
  })
  final!: boolean;

  @ApiProperty(integer('Rows that ended.', 300))
  rows!: number;

  @ApiProperty(integer('Different groups of rows; 0 without groups.', 0))
  groups!: number;

  @ApiProperty(
    nullable(
      'The lowest coverage of a model; null without rows. Below 0.95 a model is called neither better nor worse.',
      1,
    ),
  )
  coverage!: number | null;

  @ApiProperty({ type: [ModelSummaryDto], description: 'One per model, in request order.' })
  models!: ModelSummaryDto[];

  @ApiProperty({ type: [ModelPairDto], description: 'Every two models in each metric.' })
  pairs!: ModelPairDto[];

  @ApiProperty({ type: RankingDto, nullable: true, description: 'null where no check decided anything.' })
  ranking!: RankingDto | null;

  @ApiProperty({ description: 'The result in words; the wording may change.' })
  headline!: string;

  @ApiProperty({ type: [String], description: 'Why the figures may mislead, in words.', example: [] })
  warnings!: string[];
}
