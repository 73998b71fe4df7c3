import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { DIMENSIONS, type BreakdownPart, type Dimension } from '../billing/breakdown-total.entity';
import type { Charge } from '../billing/charge.entity';
import type { Money } from '../../common/money';
import { choice, month } from '../../platform/http/validation/field-kinds';
import { QueryField } from '../../platform/http/validation/field.decorators';

/** Query of the endpoints that report on one month. */
export class MonthQuery {
  @QueryField(month(), { description: 'Month in UTC as YYYY-MM, such as 2026-11; the current month by default.' })
  month?: string;
}

/** Query of GET /usage/breakdown. */
export class BreakdownQuery extends MonthQuery {
  @QueryField(choice(DIMENSIONS), { description: 'What to break the month down by.', default: 'model' })
  by: Dimension = 'model';
}

/** One line of a statement: an eval, or a correction by an administrator. */
@ApiSchema({ name: 'StatementLine', description: 'An eval, or a correction by the operator.' })
export class StatementLineDto {
  @ApiProperty({
    format: 'date-time',
    description: 'Start of the eval, which decides its month, or time of the correction.',
  })
  time!: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'null for a correction.' })
  eval_id!: string | null;

  @ApiProperty({ type: [String], description: 'Model IDs in request order, without efforts; empty for a correction.' })
  models!: string[];

  @ApiProperty({ type: 'integer', description: 'Input tokens of all results.' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens of all results.' })
  output_tokens!: number;

  @ApiProperty({ type: 'number', description: 'USD, exact.' })
  cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'Margin as a fraction.' })
  margin!: Money;

  @ApiProperty({ type: 'number', description: 'USD, exact.' })
  charge_usd!: Money;

  @ApiProperty({ description: "Whether the eval used one of the month's free evals." })
  free!: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why a correction was made; null for an eval.' })
  reason!: string | null;

  static from(charge: Charge, margin: Money): StatementLineDto {
    return {
      time: charge.occurredAt.toISOString(),
      eval_id: charge.evalId,
      models: charge.models,
      input_tokens: charge.inputTokens,
      output_tokens: charge.outputTokens,
      cost_usd: charge.cost,
      margin,
      charge_usd: charge.charge,
      free: charge.isFree,
      reason: charge.reason,
    };
  }
}

/** Totals of a statement. */
@ApiSchema({ name: 'StatementTotal', description: 'Sums over the lines of a statement.' })
export class StatementTotalDto {
  @ApiProperty({ type: 'integer', description: 'Number of evals.' })
  eval_count!: number;

  @ApiProperty({ type: 'integer', description: 'Number of free evals.' })
  free_eval_count!: number;

  @ApiProperty({ type: 'number', description: 'USD, exact.' })
  cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'USD, exact; equals total_charge_usd of GET /usage for the month.' })
  charge_usd!: Money;
}

/** Response body of GET /usage/statement. */
@ApiSchema({ name: 'Statement', description: 'Every charge and correction of a month.' })
export class StatementDto {
  @ApiProperty({ description: 'The month, as YYYY-MM in UTC.' })
  month!: string;

  @ApiProperty({ type: [StatementLineDto], description: 'In the order in which they were recorded.' })
  lines!: StatementLineDto[];

  @ApiProperty({ type: StatementTotalDto, description: 'Sums over all lines.' })
  total!: StatementTotalDto;
}

@ApiSchema({ name: 'BreakdownItem', description: "One model's, day's or key's share of a month." })
class BreakdownItemDto {
  @ApiProperty({ description: 'Model id, day (YYYY-MM-DD, UTC) or key id.', example: 'sim-swift' })
  item!: string;

  @ApiPropertyOptional({ description: 'Name of the key; only with by=key.', example: 'demo' })
  name?: string;

  @ApiProperty({ type: 'integer', description: 'Number of evals that include this item.' })
  eval_count!: number;

  @ApiProperty({ type: 'integer', description: 'Input tokens.' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens.' })
  output_tokens!: number;

  @ApiProperty({ type: 'number', description: 'USD, exact.' })
  cost_usd!: Money;

  @ApiProperty({ type: 'number', description: 'USD, exact, without corrections.' })
  charge_usd!: Money;
}

/** Response body of GET /usage/breakdown. */
@ApiSchema({ name: 'Breakdown', description: 'A month along one dimension.' })
export class BreakdownDto {
  @ApiProperty({ description: 'The month, as YYYY-MM in UTC.' })
  month!: string;

  @ApiProperty({ enum: DIMENSIONS, description: 'The dimension.' })
  by!: Dimension;

  @ApiProperty({ type: [BreakdownItemDto], description: 'The parts of the month, ordered by item.' })
  items!: BreakdownItemDto[];

  /** Only keys have names. */
  static from(
    month: string,
    by: Dimension,
    parts: readonly BreakdownPart[],
    names: ReadonlyMap<string, string>,
  ): BreakdownDto {
    return {
      month,
      by,
      items: parts.map((part) => ({
        item: part.item,
        ...(names.has(part.item) && { name: names.get(part.item) }),
        eval_count: part.evalCount,
        input_tokens: Number(part.inputTokens),
        output_tokens: Number(part.outputTokens),
        cost_usd: part.cost,
        charge_usd: part.charge,
      })),
    };
  }
}
