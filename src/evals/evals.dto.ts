import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import type { Money } from '../common/money';
import { wholeNumber } from '../common/validators';
import { EVAL_ID, NOW } from './eval.dto';
import type { EvalSummary } from './evals.repository';
import type { EvalPage } from './evals.service';

const LARGEST_LIMIT = 100;

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
