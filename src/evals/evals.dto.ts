import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Money } from '../common/money';
import { wholeNumber } from '../http/validation/field-kinds';
import { digits, QueryField } from '../http/validation/field.decorators';
import { PageCursor, PageLimit } from '../http/validation/page.decorators';
import type { EvalSummary } from './evals.repository';
import type { EvalPage } from './evals.service';

@ApiSchema({ name: 'EvalSummaryMeta', description: 'Key figures of an eval in a list.' })
class EvalSummaryMetaDto {
  @ApiProperty({ type: 'number', description: 'Total cost over all results in USD, exact.', example: 0.0000231 })
  total_cost_usd!: Money;

  @ApiProperty({ description: 'Model ID with the lowest latency among the successful results; empty when there is none.', example: 'sim-swift' })
  fastest_model!: string;
}

/** A comparison in a list, without its results. */
@ApiSchema({ name: 'EvalSummary', description: 'An eval in a list, without its results.' })
export class EvalSummaryDto {
  @ApiProperty({ description: 'Eval ID.' })
  eval_id!: string;

  @ApiProperty({ description: 'The prompt as submitted.', example: 'Say {input} in French.' })
  prompt!: string;

  @ApiProperty({ type: [String], description: 'Model IDs in request order.', example: ['sim-swift'] })
  models!: string[];

  @ApiProperty({ format: 'date-time', description: 'Start of the eval (UTC).' })
  created_at!: string;

  @ApiProperty({ type: EvalSummaryMetaDto, description: 'Key figures.' })
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

/** Response body of GET /evals. */
@ApiSchema({ name: 'EvalList', description: 'A page of evals.' })
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
  @PageLimit('results')
  limit: number = 20;

  @QueryField(wholeNumber(0, Number.MAX_SAFE_INTEGER), { read: digits, default: 0, description: 'Number of results to skip. Distant pages are cheaper with the cursor from the Link header.' })
  offset: number = 0;

  @PageCursor('eval', { description: 'Cursor from the Link header of the previous page; unaffected by new evals.' })
  cursor?: string;
}
