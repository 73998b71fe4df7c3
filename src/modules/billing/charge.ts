import { newId } from '../../common/ids';
import { baseModelId } from '../../common/model-arm';
import { Money } from '../../common/money';
import type { Month } from '../../common/month';
import { breakdownOf, type BillableResult, type BreakdownLine } from './charge-breakdown';
import { Charge } from './charge.entity';
import { chargeOf } from './pricing';
import type { ReservationHandle } from './reservation.types';

export interface BillableEval {
  evalId: string;
  startedAt: Date;
  /** Sum over the results. */
  cost: Money;
  results: readonly BillableResult[];
}

/** A charge that is not stored yet, with all that follows from it. */
export interface NewCharge {
  charge: Charge;
  /** The lines that it adds to the month's breakdown. */
  breakdown: readonly BreakdownLine[];
  /** The charge of each result, in order; they add up to the charge. */
  resultCharges: readonly Money[];
}

/** How a charge is computed: the margin as a fraction, and when. */
interface ChargeTerms {
  margin: string;
  createdAt: Date;
}

/** The charge for an eval: cost and margin, or nothing where its reservation holds a free eval. */
export function newCharge(
  reservation: Pick<ReservationHandle, 'userId' | 'keyId' | 'month' | 'isFree'>,
  evaluation: BillableEval,
  { margin, createdAt }: ChargeTerms,
): NewCharge {
  const { userId, keyId, month, isFree } = reservation;
  const { evalId, startedAt, cost, results } = evaluation;
  const charge = Object.assign(new Charge(), {
    id: newId('chg', createdAt),
    userId,
    evalId,
    keyId,
    month: month.toString(),
    models: [...new Set(results.map(({ model }) => baseModelId(model)))],
    inputTokens: results.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: results.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    cost,
    margin,
    charge: chargeOf(cost, margin, isFree),
    isFree,
    reason: null,
    occurredAt: startedAt,
    createdAt,
  });
  const chargeFor = (amount: Money) => chargeOf(amount, margin, isFree);
  return {
    charge,
    breakdown: breakdownOf(charge, evaluation, chargeFor),
    resultCharges: results.map((result) => chargeFor(result.cost)),
  };
}

/** A row that corrects a month's charge by an amount, which may be negative. */
export function newCorrection(userId: string, month: Month, amount: Money, reason: string, at: Date): Charge {
  return Object.assign(new Charge(), {
    id: newId('chg', at),
    userId,
    evalId: null,
    keyId: null,
    month: month.toString(),
    models: [],
    inputTokens: 0,
    outputTokens: 0,
    cost: Money.zero,
    margin: '0',
    charge: amount,
    isFree: false,
    reason,
    occurredAt: at,
    createdAt: at,
  });
}
