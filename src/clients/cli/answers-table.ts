import type { Eval } from '../client/client';
import { conditionsOf } from './conditions';
import type { Table } from './table';
import { verdictWords } from './verdicts';
import { samplesOf } from './watch-state';

/**
 * For programs: a line for each answer; which sample it is, its effort, its thought, who answered and what its checks
 * say only where some answer has them.
 */
export function answersTable(stored: Eval): Table {
  const conditions = stored.results.map(conditionsOf);
  const columns: Record<string, (result: Eval['results'][number], index: number) => unknown> = {
    model: ({ model }) => model,
    ...(samplesOf(stored) > 1 && { sample: (_, index) => Math.floor(index / stored.models.length) + 1 }),
    status: ({ error }) => error?.code ?? 'ok',
    latency_ms: ({ latency_ms: latency }) => latency,
    ttft_ms: ({ details }) => details?.ttft_ms ?? '',
    tokens_per_second: ({ details }) => details?.tokens_per_second ?? '',
    input_tokens: ({ input_tokens: input }) => input,
    output_tokens: ({ output_tokens: output }) => output,
    cost_usd: ({ cost_usd: cost }) => cost,
    ...(conditions.some(({ effort }) => effort !== undefined) && {
      effort: (_, index) => conditions[index]?.effort ?? '',
    }),
    ...(conditions.some(({ thought }) => thought > 0) && {
      reasoning_tokens: (_, index) => conditions[index]?.thought,
    }),
    ...(conditions.some(({ substitute }) => substitute !== undefined) && {
      answered_by: (_, index) => conditions[index]?.substitute ?? '',
    }),
    ...(stored.checks !== undefined &&
      stored.checks.definitions.length > 0 && { checks: ({ checks }) => verdictWords(checks) }),
    output: ({ output }) => output,
  };
  return {
    head: Object.keys(columns),
    lines: stored.results.map((result, index) => Object.values(columns).map((cell) => String(cell(result, index)))),
    flexible: Object.keys(columns).length - 1,
  };
}
