import type { CommonOptions, Context } from '../context';
import { judgeOf, type JudgmentOptions } from '../judgment';
import { numberOf } from '../request';
import { printWhole } from './eval';

/** Options of `mcs rerun`. */
export interface RerunCommandOptions extends CommonOptions, JudgmentOptions {
  idempotencyKey?: string;
}

/** mcs rerun: runs the same eval again, and prints how to compare the two. */
export async function rerunCommand(context: Context, id: string, options: RerunCommandOptions): Promise<number> {
  const { json, idempotencyKey, maxCost } = options;
  const judge = judgeOf(options);
  const stored = await context.mcs.evals.rerun(id, {
    details: true,
    checks: true,
    statistics: json !== true,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(maxCost !== undefined && { maxCostUsd: numberOf('--max-cost', maxCost) }),
  });
  printWhole(context, stored, json === true);
  if (json !== true) context.terminal.note(`To see what changed: mcs drift ${stored.eval_id}`);
  return judge(stored);
}
