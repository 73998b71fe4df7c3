import type { Interval, IntervalMethod } from '../../statistics/intervals';
import {
  Choice,
  ConfidenceInterval,
  Decimal,
  DecimalOrNull,
  Flag,
  Integer,
  ModelId,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
} from '../../../platform/http/answer.decorators';
import { JudgedByDto, JudgmentDto } from '../judge/judge-summary.dto';
import { RecommendationDto } from './recommendation.dto';

const interval = (of: string, example: Interval) =>
  ConfidenceInterval(`Interval of 95 % of ${of}, for rows like these; null with too few rows.`, example);
const method = (...values: IntervalMethod[]) =>
  Choice(values, 'How the intervals of 95 % were made. Rows of one group count as one cluster.');

/** A metric in which two models are compared. */
export type ComparedMetric = 'passed' | 'score' | 'latency_ms' | 'cost_usd';

@Schema('A share of decided answers. Each row counts once, whatever its samples.', 'ExperimentRate')
export class RateDto {
  @Decimal('Mean share of the rows.', { example: 0.83 })
  rate!: number;

  @interval('the rate', [0.783, 0.868])
  ci!: Interval | null;

  @method('wilson', 'clustered_t')
  method!: IntervalMethod;
}

@Schema('How often answers passed one check.', 'ExperimentCheckRate')
export class CheckRateDto extends RateDto {
  @Text('Name of the check.', { example: 'contains-1' })
  name!: string;
}

@Schema('A mean over rows. Each row counts once, whatever its samples.', 'ExperimentMean')
export class MeanDto {
  @Decimal('Mean of the rows.', { example: 0.91 })
  mean!: number;

  @interval('the mean', [0.88, 0.94])
  ci!: Interval | null;

  @method('clustered_t')
  method!: IntervalMethod;
}

@Schema('Cost of a call in USD, without our margin.', 'ExperimentCost')
export class CostMeanDto extends MeanDto {
  @Decimal('All calls together, to 12 decimals.', { example: 0.0123 })
  total!: number;

  @Decimal('Mean if the vendor had cached no input.', { example: 0.000041 })
  mean_without_cache!: number;
}

@Schema('USD, without our margin: the cost of all calls over the number of passed ones.', 'ExperimentCostPerPassed')
export class CostPerPassedDto {
  @Decimal('Of a passed answer.', { example: 0.0000091 })
  usd!: number;

  @interval('the cost', [0.0000088, 0.0000096])
  ci!: Interval | null;
}

@Schema(
  'Latency of rows in milliseconds: of each row the median of its samples. A timeout is slower than every answer.',
  'ExperimentLatency',
)
export class LatencyQuantilesDto {
  @DecimalOrNull('Median; null where it is a timeout.', 812)
  p50!: number | null;

  @interval('the median', [790, 840])
  p50_ci!: Interval | null;

  @DecimalOrNull('90 % of the rows took no longer; null where it is a timeout.', 1401)
  p90!: number | null;

  @interval('p90', [1320, 1502])
  p90_ci!: Interval | null;

  @method('order_statistics', 'woodruff')
  method!: IntervalMethod;

  @Integer('Calls that timed out.', { example: 0 })
  timeouts!: number;
}

@Schema(
  'The figures of one model over all rows; null where no row has one. Missing is not wrong: failed calls and undecided checks do not count.',
  'ExperimentModel',
)
export class ModelSummaryDto {
  @ModelId()
  model!: string;

  @Integer('Rows with an answer.', { example: 300 })
  rows!: number;

  @Integer('Calls that were answered.', { example: 900 })
  answered!: number;

  @Integer('Calls that failed.', { example: 0 })
  failed!: number;

  @Decimal('Share of all calls that count in the ranking.', { example: 1 })
  coverage!: number;

  @Part(RateDto, 'Answers that passed all checks.', { nullable: true })
  passed!: RateDto | null;

  @DecimalOrNull('Share of rows in which every sample passed; null with one sample.', 0.71)
  all_pass_rate!: number | null;

  @DecimalOrNull('Share of rows in which at least one sample passed; null with one sample.', 0.93)
  any_pass_rate!: number | null;

  @Part(MeanDto, 'Score by the weights of the checks, from 0 to 1.', { nullable: true })
  score!: MeanDto | null;

  @Parts(CheckRateDto, 'The checks of the experiment that were decided.')
  checks!: CheckRateDto[];

  @Part(LatencyQuantilesDto, 'Latencies.', { nullable: true })
  latency_ms!: LatencyQuantilesDto | null;

  @Part(CostMeanDto, 'Costs.', { nullable: true })
  cost_usd!: CostMeanDto | null;

  @Part(CostPerPassedDto, 'Cost of a passed answer; null below 5 passed rows.', { nullable: true })
  cost_per_passed!: CostPerPassedDto | null;

  @Part(MeanDto, 'Output tokens of an answer.', { nullable: true })
  output_tokens!: MeanDto | null;

  @DecimalOrNull(
    'Mean share of the samples of a row that agree with the most frequent answer; null with one sample.',
    0.94,
  )
  self_agreement!: number | null;
}

@Schema('Rows in which the two differ.', 'ExperimentFlips')
export class FlipsDto {
  @Integer('Rows in which the first is ahead.', { example: 21 })
  gained!: number;

  @Integer('Rows in which the second is ahead.', { example: 17 })
  lost!: number;
}

@Schema('Two models in one metric, over the rows that both have.', 'ExperimentPair')
export class ModelPairDto {
  @Texts('The first and the second model.', { minItems: 2, maxItems: 2, example: ['sim-swift', 'sim-sage'] })
  models!: string[];

  @Choice(['passed', 'score', 'latency_ms', 'cost_usd'], '`score` only where no check decided what passes.')
  metric!: ComparedMetric;

  @Integer('Rows that both have.', { example: 300 })
  rows!: number;

  @DecimalOrNull('Mean of the first minus the second, of `passed` and `score`.', 0.013)
  difference!: number | null;

  @DecimalOrNull(
    'Geometric mean of the first over the second, of `latency_ms` and `cost_usd`; null where an amount is 0.',
    null,
  )
  ratio!: number | null;

  @interval('the difference or ratio', [-0.029, 0.055])
  ci!: Interval | null;

  @DecimalOrNull('Of a paired sign flip test; null while the experiment is not final.', 0.55)
  p_value!: number | null;

  @DecimalOrNull("The same, adjusted by Holm's method for all pairs in this metric.", 0.55)
  p_adjusted!: number | null;

  @Choice(
    ['better', 'worse', 'cannot_tell', null],
    'Of the first model. `better` takes p_adjusted of at most 0.05 and a coverage of 0.95, in latency also a ratio of 1.25; null while the experiment is not final.',
    { nullable: true },
  )
  verdict!: 'better' | 'worse' | 'cannot_tell' | null;

  @Text('The same in words; the wording may change.')
  words!: string;

  @Part(FlipsDto, 'null of latency and cost.', { nullable: true })
  flips!: FlipsDto | null;

  @DecimalOrNull('Difference that such rows show with a probability of 80 %; null of latency and cost.', 0.06)
  detectable_difference!: number | null;
}

@Schema('The places that a model may have.', 'ExperimentRank')
export class RankRangeDto {
  @Integer('1 plus the number of models that are better.', { example: 1 })
  best!: number;

  @Integer('The number of models minus the number that are worse.', { example: 3 })
  worst!: number;
}

@Schema('A model and its places.', 'ExperimentRankedModel')
export class RankedModelDto {
  @ModelId()
  model!: string;

  @Part(RankRangeDto, 'Its places.')
  rank!: RankRangeDto;
}

@Schema('The models by what can be told from luck.', 'ExperimentRanking')
export class RankingDto {
  @Choice(['passed', 'score'], 'What they are ranked by.')
  metric!: 'passed' | 'score';

  @Parts(RankedModelDto, 'By place; a place may be shared.')
  models!: RankedModelDto[];
}

/** The figures of an experiment. They are stored in this form. */
@Schema(
  'The figures of an experiment. Numbers are rounded to 6 significant digits. Intervals are for rows like these: of 20 such ranges, 19 contain the figure that all such rows would give.',
)
export class ExperimentFiguresDto {
  @Flag('Whether the experiment has ended. Before, nothing is tested and no model is called better.')
  final!: boolean;

  @Integer('Rows that ended.', { example: 300 })
  rows!: number;

  @Integer('Different groups of rows; 0 without groups.', { example: 0 })
  groups!: number;

  @DecimalOrNull(
    'The lowest coverage of a model; null without rows. Below 0.95 a model is called neither better nor worse.',
    1,
  )
  coverage!: number | null;

  @Parts(ModelSummaryDto, 'One per model, in request order.')
  models!: ModelSummaryDto[];

  @Parts(ModelPairDto, 'Every two models in each metric.')
  pairs!: ModelPairDto[];

  @Part(RankingDto, 'null where no check decided anything.', { nullable: true })
  ranking!: RankingDto | null;

  @Part(
    JudgmentDto,
    'Of an experiment of judges: what they are worth. The other figures are those of the judged models then, and `score` is the share of wins or the mean mark. null for one that asks models.',
    { nullable: true },
  )
  judgment!: JudgmentDto | null;

  @Text('The result in words; the wording may change.')
  headline!: string;

  @Texts('Why the figures may mislead, in words.', { example: [] })
  warnings!: string[];
}

/** Response body of GET /experiments/:id/summary. */
@Schema('The figures of an experiment, and the model to take.', 'ExperimentSummary')
export class ExperimentSummaryDto extends ExperimentFiguresDto {
  @Part(RecommendationDto, 'The model to take, for the tolerance of the query; null before the end.', {
    nullable: true,
  })
  recommendation!: RecommendationDto | null;

  @Parts(JudgedByDto, 'What experiments of judges said of these answers, newest first.')
  judged_by!: JudgedByDto[];
}
