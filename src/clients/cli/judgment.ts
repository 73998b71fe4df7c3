import type { Eval } from '../client/client';
import { isMore } from '../client/amount-units';
import { EXIT, UsageError } from './exit-codes';
import { numberOf } from './request';
import { hasFailedCheck } from './verdicts';

/** Options that make an exit code of what a stored eval says. */
export interface JudgmentOptions {
  failOn: string;
  maxLatency?: string;
  failOnCheck?: boolean;
  maxCost?: string;
}

/** Gives the exit code of a stored eval; made before anything is sent. @throws UsageError */
export function judgeOf({ failOn, maxLatency, failOnCheck, maxCost }: JudgmentOptions): (stored: Eval) => number {
  if (!['any', 'all'].includes(failOn)) throw new UsageError('--fail-on must be any or all.');
  const maxMs = maxLatency === undefined ? Infinity : numberOf('--max-latency', maxLatency);
  return ({ results, meta }) => {
    const failed = results.filter(({ error }) => error !== undefined);
    if (failed.length > 0 && (failOn === 'any' || failed.length === results.length)) return EXIT.modelsFailed;
    if (failOnCheck === true && hasFailedCheck(results)) return EXIT.checksFailed;
    if (maxCost !== undefined && isMore(meta.total_cost_usd, maxCost)) return EXIT.money;
    return results.some(({ error, latency_ms: latency }) => error === undefined && latency > maxMs)
      ? EXIT.tooSlow
      : EXIT.done;
  };
}

/** True if any of them was given. */
export function isJudged({ failOn, maxLatency, failOnCheck }: JudgmentOptions): boolean {
  return failOn !== 'all' || maxLatency !== undefined || failOnCheck === true;
}
