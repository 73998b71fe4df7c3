import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import type { Money } from '../common/money';
import { wholeNumber } from '../common/validators';
import type { EvalSummary } from './evals.repository';
import type { EvalPage, StoredEval } from './evals.service';
import type { Result, ResultError, ResultWarning } from './result.entity';

const EVAL_ID = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';
const NOW = '2026-11-20T12:00:00.000Z';
const LARGEST_LIMIT = 100;

class ResultErrorDto implements ResultError {
  @ApiProperty({ example: 'rate_limited', description: 'Stable code of the failure.' })
  code!: string;

  @ApiProperty({ example: 'The vendor is limiting our rate.' })
  message!: string;

  @ApiProperty({ description: 'Whether a later try may succeed.' })
  retryable!: boolean;
}

class ResultWarningDto implements ResultWarning {
  @ApiProperty({ example: 'temperature_ignored', description: 'Stable code of the warning.' })
  code!: string;

  @ApiProperty({ example: 'This model takes no temperature; it was left out.' })
  message!: string;
}

/** What one model answered. */
export class ResultDto {
  @ApiProperty({ description: 'Model ID.', example: 'sim-swift' })
  model!: string;

  @ApiProperty({ description: 'Provider label of the model, as in the model record.', example: 'simulator' })
  provider!: string;

  @ApiProperty({ description: 'Text the model produced; empty when it failed.', example: 'the model reads your prompt' })
  output!: string;

  @ApiProperty({ type: 'integer', description: 'Milliseconds from dispatch to the last byte of the successful attempt, or to the failure.', example: 412 })
  latency_ms!: number;

  @ApiProperty({ type: 'number', description: 'Cost of this model call in USD, exact; our margin is not in it.', example: 0.0000231 })
  cost_usd!: Money;

  @ApiProperty({ type: 'integer', description: 'Input tokens, cached ones included.', example: 10 })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens, reasoning included.', example: 36 })
  output_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Input plus output tokens.', example: 46 })
  total_tokens!: number;

  @ApiPropertyOptional({ type: ResultErrorDto, description: 'Only when this model failed.' })
  error?: ResultError;

  @ApiPropertyOptional({ type: [ResultWarningDto], description: 'Only when there is something to say.' })
  warnings?: ResultWarning[];

  static from(result: Result): ResultDto {
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

class EvalMetaDto {
  @ApiProperty({ type: 'number', description: 'Total cost over all results in USD, exact.', example: 0.0000231 })
  total_cost_usd!: Money;

  @ApiProperty({ description: 'Model ID with the lowest latency among the good results.', example: 'sim-swift' })
  fastest_model!: string;

  @ApiProperty({ description: 'Model ID with the lowest cost among the good results.', example: 'sim-swift' })
  cheapest_model!: string;

  @ApiProperty({ format: 'date-time', example: NOW })
  created_at!: string;
}

/** One comparison, whole. */
export class EvalDto {
  @ApiProperty({ example: EVAL_ID })
  eval_id!: string;

  @ApiProperty({ description: 'The prompt as submitted.', example: 'Say {input} in French.' })
  prompt!: string;

  @ApiProperty({ type: [String], description: 'Model IDs in request order.', example: ['sim-swift'] })
  models!: string[];

  @ApiProperty({ type: [ResultDto], description: 'One per model, in request order.' })
  results!: ResultDto[];

  @ApiProperty({ type: EvalMetaDto })
  meta!: EvalMetaDto;

  static from({ record, results }: StoredEval): EvalDto {
    return {
      eval_id: record.id,
      prompt: record.prompt,
      models: record.models,
      results: results.map((result) => ResultDto.from(result)),
      meta: {
        total_cost_usd: record.totalCost,
        fastest_model: record.fastestModel,
        cheapest_model: record.cheapestModel,
        created_at: record.createdAt.toISOString(),
      },
    };
  }
}

class EvalSummaryMetaDto {
  @ApiProperty({ type: 'number', description: 'Total cost over all results in USD, exact.', example: 0.0000231 })
  total_cost_usd!: Money;

  @ApiProperty({ example: 'sim-swift' })
  fastest_model!: string;
}

/** One comparison in a list; no results. */
export class EvalSummaryDto {
  @ApiProperty({ example: EVAL_ID })
  eval_id!: string;

  @ApiProperty({ example: 'Say {input} in French.' })
  prompt!: string;

  @ApiProperty({ type: [String], example: ['sim-swift'] })
  models!: string[];

  @ApiProperty({ format: 'date-time', example: NOW })
  created_at!: string;

  @ApiProperty({ type: EvalSummaryMetaDto })
  meta!: EvalSummaryMetaDto;

  static from(summary: EvalSummary): EvalSummaryDto {
    return {
      eval_id: summary.id,
      prompt: summary.prompt,
      models: summary.models,
      created_at: summary.createdAt.toISOString(),
      meta: { total_cost_usd: summary.totalCost, fastest_model: summary.fastestModel },
    };
  }
}

/** Answer of GET /evals. */
export class EvalListDto {
  @ApiProperty({ type: [EvalSummaryDto], description: 'Newest first.' })
  evals!: EvalSummaryDto[];

  @ApiProperty({ type: 'integer', description: 'The limit applied.', example: 20 })
  limit!: number;

  @ApiProperty({ type: 'integer', description: 'The offset applied.', example: 0 })
  offset!: number;

  static from(page: EvalPage, query: EvalListQuery): EvalListDto {
    return { evals: page.evals.map((summary) => EvalSummaryDto.from(summary)), limit: query.limit, offset: query.offset };
  }
}

/** Query of GET /evals. */
export class EvalListQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 20, description: 'Number of results to return; over 100 counts as 100.' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => clamped(wholeNumber(value)))
  @IsInt({ message: 'limit must be a whole number of at least 1' })
  @Min(1, { message: 'limit must be a whole number of at least 1' })
  limit: number = 20;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'Number of results to skip. Far pages are cheaper by the cursor of the Link header.' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => wholeNumber(value))
  @IsInt({ message: 'offset must be a whole number of at least 0' })
  @Min(0, { message: 'offset must be a whole number of at least 0' })
  @Max(Number.MAX_SAFE_INTEGER)
  offset: number = 0;

  @ApiPropertyOptional({ description: 'Where to go on, from the Link header of the page before; stable under new evals.', example: EVAL_ID })
  @IsOptional()
  @Matches(/^eval_[0-9a-hjkmnp-tv-z]{26}$/, { message: 'cursor must come from the Link header of a page' })
  cursor?: string;
}

function clamped(value: unknown): unknown {
  return typeof value === 'number' ? Math.min(value, LARGEST_LIMIT) : value;
}
