import { baseModelId } from '../../common/model-arm';
import { Money } from '../../common/money';
import type { Dimension } from './breakdown-total.entity';
import type { Charge } from './charge.entity';

export interface BillableResult {
  model: string;
  cost: Money;
  inputTokens: number;
  outputTokens: number;
}

/** The amounts that one charge adds to one line of the month's breakdown. */
export interface BreakdownLine {
  dimension: Dimension;
  /** Model id, YYYY-MM-DD or key id. */
  item: string;
  inputTokens: number;
  outputTokens: number;
  cost: Money;
  charge: Money;
}

export function breakdownOf(
  charge: Charge,
  { results }: { results: readonly BillableResult[] },
  chargeFor: (cost: Money) => Money,
): BreakdownLine[] {
  const whole = {
    cost: charge.cost,
    charge: charge.charge,
    inputTokens: charge.inputTokens,
    outputTokens: charge.outputTokens,
  };
  return [
    ...totalsByModel(results).map(({ model, cost, inputTokens, outputTokens }) => ({
      dimension: 'model' as const,
      item: model,
      cost,
      charge: chargeFor(cost),
      inputTokens,
      outputTokens,
    })),
    { dimension: 'day', item: charge.occurredAt.toISOString().slice(0, 10), ...whole },
    { dimension: 'key', item: charge.keyId ?? '', ...whole },
  ];
}

/**
 * The sums of each model's results, at whatever effort. One line of each: Postgres refuses a statement that changes a
 * row twice.
 */
function totalsByModel(results: readonly BillableResult[]): BillableResult[] {
  return [...Map.groupBy(results, ({ model }) => baseModelId(model))].map(([model, own]) => ({
    model,
    cost: Money.sum(own.map(({ cost }) => cost)),
    inputTokens: sum(own.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(own.map(({ outputTokens }) => outputTokens)),
  }));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, next) => total + next, 0);
}
