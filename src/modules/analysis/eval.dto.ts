import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EvalChecksDto } from '../checks/verdict.dto';
import type { Money } from '../../common/money';
import type { Inclusions } from '../../platform/http/include.dto';
import type { EvalStatistics } from './eval-statistics';
import { EvalStatisticsDto } from './eval-statistics.dto';
import type { StoredEval } from '../evals/evals.service';
import { JUDGMENT_MEMBERS, type PreferenceDto } from '../evals/judgments.dto';
import { ResultDto } from '../evals/result.dto';
import { EFFORTS, type Effort } from '../../common/effort';
import type { ResponseFormat } from '../../common/response-format';

@ApiSchema({ name: 'EvalMeta', description: 'Key figures of an eval.' })
class EvalMetaDto {
  @ApiProperty({ type: 'number', description: 'Total cost over all results in USD, exact.', example: 0.0000231 })
  total_cost_usd!: Money;

  @ApiProperty({
    description:
      'Model ID with the lowest median latency, a timeout being slower than every answer. A result without text leads only where none has any. Empty when every model failed.',
    example: 'sim-swift',
  })
  fastest_model!: string;

  @ApiProperty({
    description:
      'Model ID with the lowest median cost of its successful results. A result without text leads only where none has any. Empty when every model failed.',
    example: 'sim-swift',
  })
  cheapest_model!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was asked for (UTC): its start, or the time of the 202.' })
  created_at!: string;
}

@ApiSchema({ name: 'EvalOptions', description: 'The options of an eval with defaults filled in.' })
class EvalOptionsDto {
  @ApiProperty({ type: 'number', description: 'Sampling temperature.', example: 0.7 })
  temperature!: number;

  @ApiProperty({ type: 'integer', description: 'Maximum output tokens per model.', example: 500 })
  max_tokens!: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'How often each model was called; only where that was more than once.',
    example: 10,
  })
  samples?: number;

  @ApiPropertyOptional({ description: 'System message; only where there was one.' })
  system?: string;

  @ApiPropertyOptional({
    enum: EFFORTS,
    enumName: 'ReasoningEffort',
    description: 'The effort asked for; only where there was one.',
  })
  reasoning_effort?: Effort;

  @ApiPropertyOptional({ type: 'integer', description: 'Room for thought beyond max_tokens; only where it was set.' })
  reasoning_tokens?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The form in which answers were asked for; only where there was one.',
  })
  response_format?: ResponseFormat;

  @ApiPropertyOptional({ description: 'Whether a substituted answer is a failure; only where it was set.' })
  exact_model?: boolean;
}

/** The request and the charge of an eval. */
@ApiSchema({
  name: 'EvalDetails',
  description: 'What an eval was requested with and how it was charged; only with `include=details`.',
})
class EvalDetailsDto {
  @ApiProperty({ type: 'string', nullable: true, description: 'The input as submitted.' })
  input!: string | null;

  @ApiProperty({ type: EvalOptionsDto, description: 'The options with defaults filled in.' })
  options!: EvalOptionsDto;

  @ApiProperty({
    type: 'number',
    description: 'Charge to the user in USD, exact: cost plus margin, or 0 when the eval was free.',
    example: 0.00003234,
  })
  charge_usd!: Money;

  @ApiProperty({ description: "Whether the eval used one of the month's free evals." })
  free!: boolean;

  @ApiProperty({ type: 'integer', description: 'Milliseconds from the start to the last result.' })
  duration_ms!: number;

  @ApiPropertyOptional({ description: 'The experiment of which it is a row; only then present.' })
  experiment_id?: string;

  static from({ record }: StoredEval): EvalDetailsDto {
    return {
      input: record.input,
      options: {
        temperature: record.temperature,
        max_tokens: record.maxTokens,
        ...(record.samples > 1 && { samples: record.samples }),
        ...record.options,
      },
      charge_usd: record.charge,
      free: record.isFree,
      duration_ms: record.durationMs,
      ...(record.experimentId !== null && { experiment_id: record.experimentId }),
    };
  }
}

/** A comparison with its results. */
@ApiSchema({ name: 'Eval', description: 'A comparison with its results.' })
export class EvalDto {
  @ApiProperty({ description: 'Eval ID.' })
  eval_id!: string;

  @ApiProperty({ description: 'The prompt as submitted.', example: 'Say {input} in French.' })
  prompt!: string;

  @ApiProperty({ type: [String], description: 'Model IDs in request order.', example: ['sim-swift'] })
  models!: string[];

  @ApiProperty({
    type: [ResultDto],
    description: 'One per model, in request order; with samples, so for each of them.',
  })
  results!: ResultDto[];

  @ApiProperty({ type: EvalMetaDto, description: 'Key figures.' })
  meta!: EvalMetaDto;

  @ApiPropertyOptional({ type: EvalDetailsDto, description: 'Only with include=details.' })
  details?: EvalDetailsDto;

  @ApiPropertyOptional({ type: EvalStatisticsDto, description: 'Only with include=statistics.' })
  statistics?: EvalStatisticsDto;

  @ApiPropertyOptional({ type: EvalChecksDto, description: 'Only with include=checks.' })
  checks?: EvalChecksDto;

  @ApiPropertyOptional(JUDGMENT_MEMBERS.preference)
  preference?: PreferenceDto | null;

  @ApiPropertyOptional(JUDGMENT_MEMBERS.note)
  note?: string | null;

  @ApiPropertyOptional(JUDGMENT_MEMBERS.starred)
  starred?: boolean;

  static from(stored: StoredEval, include: Inclusions = {}, statistics?: EvalStatistics): EvalDto {
    const { record, results } = stored;
    return {
      eval_id: record.id,
      prompt: record.prompt,
      models: record.models,
      results: results.map((result) => ResultDto.from(result, include)),
      meta: {
        total_cost_usd: record.totalCost,
        fastest_model: record.fastestModel,
        cheapest_model: record.cheapestModel,
        created_at: record.createdAt.toISOString(),
      },
      ...(include.details === true && { details: EvalDetailsDto.from(stored) }),
      ...(include.checks === true && { checks: checksOf(stored) }),
      ...(statistics !== undefined && { statistics: EvalStatisticsDto.from(statistics) }),
    };
  }
}

function checksOf({ record, results }: StoredEval): EvalChecksDto {
  return EvalChecksDto.from(
    record.checks ?? [],
    record.models,
    results.map(({ model, error, checks }) => ({ model, isAnswered: error === null, verdicts: checks ?? [] })),
  );
}
