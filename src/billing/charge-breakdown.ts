import type { Money } from '../common/money';
import type { Charge } from './charge.entity';
import type { BreakdownLine } from './charges.repository';

/** What a charge needs to know of one result. */
export interface SettledResult {
  model: string;
  cost: Money;
  inputTokens: number;
  outputTokens: number;
}

/** What a charge needs to know of an eval. */
export interface Settled {
  evalId: string;
  startedAt: Date;
  /** Sum over the results. */
  cost: Money;
  results: readonly SettledResult[];
}

/** What a charge adds to its month's breakdown: a line for each model, one for the day and one for the key. */
export function breakdownOf(charge: Charge, { results }: Pick<Settled, 'results'>, chargeFor: (cost: Money) => Money): BreakdownLine[] {
  const whole = { cost: charge.cost, charge: charge.charge, inputTokens: charge.inputTokens, outputTokens: charge.outputTokens };
  return [
    ...results.map(({ model, cost, inputTokens, outputTokens }) => ({ dimension: 'model' as const, item: model, cost, charge: chargeFor(cost), inputTokens, outputTokens })),
    { dimension: 'day', item: charge.occurredAt.toISOString().slice(0, 10), ...whole },
    { dimension: 'key', item: charge.keyId ?? '', ...whole },
  ];
}
