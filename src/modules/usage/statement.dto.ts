import { DIMENSIONS, type BreakdownPart, type Dimension } from '../billing/breakdown-total.entity';
import type { Charge } from '../billing/charge.entity';
import type { Money } from '../../common/money';
import { choice, month } from '../../platform/http/validation/field-kinds';
import { QueryField } from '../../platform/http/validation/field.decorators';
import {
  Choice,
  DateTime,
  Decimal,
  Flag,
  Integer,
  Part,
  Parts,
  Schema,
  Text,
  Texts,
  UsdAmount,
} from '../../platform/http/answer.decorators';

/** Query of the endpoints that report on one month. */
export class MonthQuery {
  @QueryField(month(), 'Month in UTC as YYYY-MM, such as 2026-11; the current month by default.')
  month?: string;
}

/** Query of GET /usage/breakdown. */
export class BreakdownQuery extends MonthQuery {
  @QueryField(choice(DIMENSIONS), 'What to break the month down by.', { default: 'model' })
  by: Dimension = 'model';
}

@Schema('An eval, or a correction by the operator.')
export class StatementLineDto {
  @DateTime('Start of the eval, which decides its month, or time of the correction.')
  time!: string;

  @Text('null for a correction.', { nullable: true })
  eval_id!: string | null;

  @Texts('Model IDs in request order, without efforts; empty for a correction.')
  models!: string[];

  @Integer('Input tokens of all results.')
  input_tokens!: number;

  @Integer('Output tokens of all results.')
  output_tokens!: number;

  @UsdAmount()
  cost_usd!: Money;

  @Decimal('Margin as a fraction.')
  margin!: Money;

  @UsdAmount()
  charge_usd!: Money;

  @Flag("Whether the eval used one of the month's free evals.")
  free!: boolean;

  @Text('Why a correction was made; null for an eval.', { nullable: true })
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

@Schema('Sums over the lines of a statement.')
export class StatementTotalDto {
  @Integer('Number of evals.')
  eval_count!: number;

  @Integer('Number of free evals.')
  free_eval_count!: number;

  @UsdAmount()
  cost_usd!: Money;

  @UsdAmount('USD, exact; equals total_charge_usd of GET /usage for the month.')
  charge_usd!: Money;
}

@Schema('Every charge and correction of a month.')
export class StatementDto {
  @Text('The month, as YYYY-MM in UTC.')
  month!: string;

  @Parts(StatementLineDto, 'In the order in which they were recorded.')
  lines!: StatementLineDto[];

  @Part(StatementTotalDto, 'Sums over all lines.')
  total!: StatementTotalDto;
}

@Schema("One model's, day's or key's share of a month.")
class BreakdownItemDto {
  @Text('Model id, day (YYYY-MM-DD, UTC) or key id.', { example: 'sim-swift' })
  item!: string;

  @Text('Name of the key; only with by=key.', { optional: true, example: 'demo' })
  name?: string;

  @Integer('Number of evals that include this item.')
  eval_count!: number;

  @Integer('Input tokens.')
  input_tokens!: number;

  @Integer('Output tokens.')
  output_tokens!: number;

  @UsdAmount()
  cost_usd!: Money;

  @UsdAmount('USD, exact, without corrections.')
  charge_usd!: Money;
}

@Schema('A month along one dimension.')
export class BreakdownDto {
  @Text('The month, as YYYY-MM in UTC.')
  month!: string;

  @Choice(DIMENSIONS, 'The dimension.')
  by!: Dimension;

  @Parts(BreakdownItemDto, 'The parts of the month, ordered by item.')
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
