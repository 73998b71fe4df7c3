import type { BillableEval, NewCharge } from '../../billing/charge';
import { Eval } from '../../evals/eval.entity';
import type { StoredEval } from '../../evals/evals.service';
import { cheapest, fastest, totalCost } from '../../evals/ranking';
import { Result } from '../../evals/result.entity';
import type { ActiveCompare } from '../active-compare';

/** An eval whose vendors have answered, without what only its charge decides. */
export interface UnsettledEval {
  record: Omit<Eval, 'charge' | 'isFree'>;
  results: readonly Result[];
  /** When the eval began. */
  startedAt: Date;
  /** False if its texts are only answered and never stored. */
  isStored?: boolean | undefined;
}

/** The eval of a compare that has its results, `durationMs` after its start. */
export function unsettledEval(
  { caller, command, evalId, startedAt, lock }: ActiveCompare,
  results: readonly Result[],
  durationMs: number,
): UnsettledEval {
  const record = {
    id: evalId,
    userId: caller.userId,
    prompt: command.prompt,
    input: command.input ?? null,
    models: command.models,
    temperature: command.options.temperature,
    maxTokens: command.options.maxTokens,
    totalCost: totalCost(results),
    fastestModel: fastest(results),
    cheapestModel: cheapest(results),
    // The time in its id, by which evals are listed and erased.
    createdAt: lock?.createdAt ?? startedAt,
    durationMs: Math.round(durationMs),
    samples: command.samples,
    checks: command.checks.length > 0 ? [...command.checks] : null,
    rerunOf: command.rerunOf ?? null,
    maxCost: command.maxCost ?? null,
    options: command.options.extra ?? null,
    experimentId: command.experimentId ?? null,
  };
  return { record, results, startedAt, isStored: command.isStored };
}

/** The data that a charge needs. */
export function billable({ record, results, startedAt }: UnsettledEval): BillableEval {
  return { evalId: record.id, startedAt, cost: record.totalCost, results };
}

/** The stored eval: with its charge in total and for each result. */
export function finished({ record, results }: UnsettledEval, { charge, resultCharges }: NewCharge): StoredEval {
  return {
    record: Object.assign(new Eval(), record, { charge: charge.charge, isFree: charge.isFree }),
    results: results.map((result, position) => {
      const resultCharge = resultCharges[position];
      if (resultCharge === undefined) throw new Error('A result without a charge.');
      return Object.assign(new Result(), result, {
        evalId: record.id,
        details: { ...result.details, charge: resultCharge.toString() },
      });
    }),
  };
}
