import type { Interval } from '../../statistics/intervals';
import { CostPerPassedDto } from './summary.dto';
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

/** How the later experiment compares with the earlier one. */
export type ComparisonVerdict = 'better' | 'not_worse' | 'worse' | 'cannot_tell';

const verdict = (description: string) =>
  Choice(
    ['better', 'not_worse', 'worse', 'cannot_tell', null],
    `${description} null while an experiment is not final.`,
    { nullable: true },
  );
const rowIds = () => Texts('Their ids, at most 100.', { example: [] });

@Schema('One metric over the rows that both experiments have.', 'ExperimentMetricChange')
export class MetricChangeDto {
  @Integer('Rows that have it in both.', { example: 300 })
  rows!: number;

  @DecimalOrNull('Mean in the earlier experiment.', 0.81)
  before!: number | null;

  @DecimalOrNull('Mean in the later experiment.', 0.83)
  after!: number | null;

  @DecimalOrNull('Mean of after minus before, of `passed` and `score`.', 0.02)
  difference!: number | null;

  @DecimalOrNull('Geometric mean of after over before, of costs and tokens; null where an amount is 0.', null)
  ratio!: number | null;

  @ConfidenceInterval(
    'Interval of 95 % of the difference or ratio, for rows like these; null with too few rows.',
    [-0.01, 0.05],
  )
  ci!: Interval | null;

  @DecimalOrNull('Of a paired sign flip test; null while an experiment is not final.', 0.24)
  p_value!: number | null;

  @DecimalOrNull("The same, adjusted by Holm's method for all models.", 0.24)
  p_adjusted!: number | null;

  @verdict('`not_worse`: not by more than the tolerance, which is a share of costs and tokens. Fewer are better.')
  verdict!: ComparisonVerdict | null;

  @Integer(
    'Rows that it would take to show `not_worse` if the difference stays; null where no number of rows does, or the verdict is another.',
    { nullable: true, example: null },
  )
  rows_needed!: number | null;
}

@Schema('The metrics of a model; null where no row has it in both.', 'ExperimentMetricChanges')
export class MetricChangesDto {
  @Part(MetricChangeDto, 'Share of answers that passed.', { nullable: true })
  passed!: MetricChangeDto | null;

  @Part(MetricChangeDto, 'Score by the weights of the checks.', { nullable: true })
  score!: MetricChangeDto | null;

  @Part(MetricChangeDto, 'Cost of a call in USD.', { nullable: true })
  cost_usd!: MetricChangeDto | null;

  @Part(MetricChangeDto, 'Output tokens of an answer.', { nullable: true })
  output_tokens!: MetricChangeDto | null;
}

@Schema('Median latency in milliseconds. It is not tested: two experiments are two moments.', 'ExperimentLatencyChange')
export class LatencyChangeDto {
  @DecimalOrNull('In the earlier experiment; null where it is a timeout.', 812)
  before!: number | null;

  @DecimalOrNull('In the later experiment; null where it is a timeout.', 790)
  after!: number | null;
}

@Schema(
  'Cost of a passed answer in both, over the common rows; null below 5 passed rows.',
  'ExperimentCostPerPassedChange',
)
export class CostPerPassedChangeDto {
  @Part(CostPerPassedDto, 'In the earlier experiment.', { nullable: true })
  before!: CostPerPassedDto | null;

  @Part(CostPerPassedDto, 'In the later experiment.', { nullable: true })
  after!: CostPerPassedDto | null;
}

@Schema('Rows that pass more often, or less often, than before.', 'ExperimentRowFlips')
export class RowFlipsDto {
  @Integer('Rows that pass more often.', { example: 0 })
  gained_count!: number;

  @Integer('Rows that pass less often.', { example: 0 })
  lost_count!: number;

  @rowIds()
  gained!: string[];

  @rowIds()
  lost!: string[];
}

@Schema('One model in both experiments.', 'ExperimentModelChange')
export class ModelComparisonDto {
  @Text('Model ID in the later experiment.', { example: 'sim-swift' })
  model!: string;

  @Text('Model ID in the earlier experiment.', { example: 'sim-swift' })
  against_model!: string;

  @Part(MetricChangesDto, 'The metrics.')
  metrics!: MetricChangesDto;

  @Part(LatencyChangeDto, 'Latencies.')
  latency_ms!: LatencyChangeDto;

  @Part(CostPerPassedChangeDto, 'Costs of a passed answer. They are not tested.')
  cost_per_passed!: CostPerPassedChangeDto;

  @Part(RowFlipsDto, 'Rows that changed.')
  flips!: RowFlipsDto;

  @verdict('Of `passed`, or of `score` where no check decided what passes.')
  verdict!: ComparisonVerdict | null;

  @Text('The same in words; the wording may change.')
  words!: string;
}

@Schema('Rows that only one experiment has, or that have another content.', 'ExperimentUnmatchedRows')
export class UnmatchedRowsDto {
  @Integer('Their number.', { example: 0 })
  count!: number;

  @rowIds()
  row_ids!: string[];
}

@Schema('The models that answered, as the vendor names them.', 'ExperimentResponseModels')
export class ResponseModelsDto {
  @ModelId()
  model!: string;

  @Texts('In the earlier experiment.')
  before!: string[];

  @Texts('In the later experiment.')
  after!: string[];
}

@Schema('What changed from an earlier experiment to this one, row by row. Numbers are rounded to 6 significant digits.')
export class ExperimentComparisonDto {
  @Flag('Whether both experiments have ended. Before, nothing is tested.')
  final!: boolean;

  @Integer('Rows with the same id and content in both.', { example: 300 })
  rows!: number;

  @Part(UnmatchedRowsDto, 'The other rows.')
  unmatched!: UnmatchedRowsDto;

  @Decimal('The loss that counts as not worse.', { example: 0.02 })
  tolerance!: number;

  @Parts(ModelComparisonDto, 'One per model.')
  models!: ModelComparisonDto[];

  @Parts(ResponseModelsDto, 'The models that answered.')
  response_models!: ResponseModelsDto[];

  @Texts('Members of the request in which the experiments differ, such as `options.temperature`.', { example: [] })
  request_changed!: string[];

  @verdict('The worst of the models: `worse` before `cannot_tell`, `not_worse` and `better`.')
  verdict!: ComparisonVerdict | null;

  @Text('The same in words; the wording may change.')
  words!: string;
}
