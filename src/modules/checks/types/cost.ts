import { MAX_AMOUNT_USD, Money } from '../../../common/money';
import { amount } from '../../../platform/http/validation/field-kinds';
import type { CheckFields, CheckType } from '../check-type';

export interface CostCheck extends CheckFields {
  type: 'cost';
  max_usd: string;
}

export const COST: CheckType<CostCheck> = {
  schema: { name: 'CostCheck', description: 'Passes when the call cost no more.' },
  fields: {
    max_usd: {
      kind: amount(0, MAX_AMOUNT_USD, 12),
      description: 'USD without margin, at most 12 decimals and 15 significant digits.',
      example: 0.01,
    },
  },
  charactersRead: () => 0,
  decide({ max_usd: maxUsd }, { cost }) {
    if (cost === undefined) return { undecided: 'The cost of this text is not known.' };
    return { isMet: cost.compare(Money.of(maxUsd)) <= 0, observed: `It cost ${cost.toString()} USD.` };
  },
};
