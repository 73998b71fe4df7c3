import { ApiProperty, ApiSchema, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Interval } from '../../statistics/intervals';

/** How the later experiment compares with the earlier one. */
export type ComparisonVerdict = 'better' | 'not_worse' | 'worse' | 'cannot_tell';

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
const verdict = (description: string): ApiPropertyOptions => ({
  enum: ['better', 'not_worse', 'worse', 'cannot_tell', null],
  type: 'string',
  nullable: true,
  description: `${description} null while an experiment is not final.`,
});
const rowIds = (description: string): ApiPropertyOptions => ({
  type: [String],
  description: `${description}, at most 100.`,
  example: [],
});

@ApiSchema({ name: 'ExperimentMetricChange', description: 'One metric over the rows that both experiments have.' })
export class MetricChangeDto {
  @ApiProperty(integer('Rows that have it in both.', 300))
  rows!: number;

  @ApiProperty(nullable('Mean in the earlier experiment.', 0.81))
  before!: number | null;

  @ApiProperty(nullable('Mean in the later experiment.', 0.83))
  after!: number | null;

  @ApiProperty(nullable('Mean of after minus before, of `passed` and `score`.', 0.02))
  difference!: number | null;

  @ApiProperty(nullable('Geometric mean of after over before, of costs and tokens; null where an amount is 0.', null))
  ratio!: number | null;

  @ApiProperty({
    type: [Number],
    nullable: true,
    minItems: 2,
    maxItems: 2,
    description: 'Interval of 95 % of the difference or ratio, for rows like these; null with too few rows.',
    example: [-0.01, 0.05],
  })
  ci!: Interval | null;

  @ApiProperty(nullable('Of a paired sign flip test; null while an experiment is not final.', 0.24))
  p_value!: number | null;

  @ApiProperty(nullable("The same, adjusted by Holm's method for all models.", 0.24))
  p_adjusted!: number | null;

  @ApiProperty(
    verdict('`not_worse`: not by more than the tolerance, which is a share of costs and tokens. Fewer are better.'),
  )
  verdict!: ComparisonVerdict | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Rows that it would take to show `not_worse` if the difference stays; null where no number of rows does, or the verdict is another.',
    example: null,
  })
  rows_needed!: number | null;
}

@ApiSchema({
  name: 'ExperimentMetricChanges',
  description: 'The metrics of a model; null where no row has it in both.',
})
export class MetricChangesDto {
  @ApiProperty({ type: MetricChangeDto, nullable: true, description: 'Share of answers that passed.' })
  passed!: MetricChangeDto | null;

  @ApiProperty({ type: MetricChangeDto, nullable: true, description: 'Score by the weights of the checks.' })
  score!: MetricChangeDto | null;

  @ApiProperty({ type: MetricChangeDto, nullable: true, description: 'Cost of a call in USD.' })
  cost_usd!: MetricChangeDto | null;

  @ApiProperty({ type: MetricChangeDto, nullable: true, description: 'Output tokens of an answer.' })
  output_tokens!: MetricChangeDto | null;
}

@ApiSchema({
  name: 'ExperimentLatencyChange',
  description: 'Median latency in milliseconds. It is not tested: two experiments are two moments.',
})
export class LatencyChangeDto {
  @ApiProperty(nullable('In the earlier experiment; null where it is a timeout.', 812))
  before!: number | null;

  @ApiProperty(nullable('In the later experiment; null where it is a timeout.', 790))
  after!: number | null;
}

@ApiSchema({ name: 'ExperimentRowFlips', description: 'Rows that pass more often, or less often, than before.' })
export class RowFlipsDto {
  @ApiProperty(integer('Rows that pass more often.', 0))
  gained_count!: number;

  @ApiProperty(integer('Rows that pass less often.', 0))
  lost_count!: number;

  @ApiProperty(rowIds('Their ids'))
  gained!: string[];

  @ApiProperty(rowIds('Their ids'))
  lost!: string[];
}

@ApiSchema({ name: 'ExperimentModelChange', description: 'One model in both experiments.' })
export class ModelComparisonDto {
  @ApiProperty({ description: 'Model ID in the later experiment.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ description: 'Model ID in the earlier experiment.', example: 'sim-swift' })
  against_model!: string;

  @ApiProperty({ type: MetricChangesDto, description: 'The metrics.' })
  metrics!: MetricChangesDto;

  @ApiProperty({ type: LatencyChangeDto, description: 'Latencies.' })
  latency_ms!: LatencyChangeDto;

  @ApiProperty({ type: RowFlipsDto, description: 'Rows that changed.' })
  flips!: RowFlipsDto;

  @ApiProperty(verdict('Of `passed`, or of `score` where no check decided what passes.'))
  verdict!: ComparisonVerdict | null;

  @ApiProperty({ description: 'The same in words; the wording may change.' })
  words!: string;
}

@ApiSchema({
  name: 'ExperimentUnmatchedRows',
  description: 'Rows that only one experiment has, or that have another content.',
})
export class UnmatchedRowsDto {
  @ApiProperty(integer('Their number.', 0))
  count!: number;

  @ApiProperty(rowIds('Their ids'))
  row_ids!: string[];
}

@ApiSchema({ name: 'ExperimentResponseModels', description: 'The models that answered, as the vendor names them.' })
export class ResponseModelsDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ type: [String], description: 'In the earlier experiment.' })
  before!: string[];

  @ApiProperty({ type: [String], description: 'In the later experiment.' })
  after!: string[];
}

/** Response body of GET /experiments/:id/comparison. */
@ApiSchema({
  name: 'ExperimentComparison',
  description:
    'What changed from an earlier experiment to this one, row by row. Numbers are rounded to 6 significant digits.',
})
export class ExperimentComparisonDto {
  @ApiProperty({ description: 'Whether both experiments have ended. Before, nothing is tested.' })
  final!: boolean;

  @ApiProperty(integer('Rows with the same id and content in both.', 300))
  rows!: number;

  @ApiProperty({ type: UnmatchedRowsDto, description: 'The other rows.' })
  unmatched!: UnmatchedRowsDto;

  @ApiProperty({ type: 'number', description: 'The loss that counts as not worse.', example: 0.02 })
  tolerance!: number;

  @ApiProperty({ type: [ModelComparisonDto], description: 'One per model.' })
  models!: ModelComparisonDto[];

  @ApiProperty({ type: [ResponseModelsDto], description: 'The models that answered.' })
  response_models!: ResponseModelsDto[];

  @ApiProperty({
    type: [String],
    description: 'Members of the request in which the experiments differ, such as `options.temperature`.',
    example: [],
  })
  request_changed!: string[];

  @ApiProperty(verdict('The worst of the models: `worse` before `cannot_tell`, `not_worse` and `better`.'))
  verdict!: ComparisonVerdict | null;

  @ApiProperty({ description: 'The same in words; the wording may change.' })
  words!: string;
}
