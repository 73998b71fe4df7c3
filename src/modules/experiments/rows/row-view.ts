import { checkedAs } from '../../analysis/checked-as';
import type { Check } from '../../checks/types';
import { scoreOf, type Verdict } from '../../checks/verdict';
import type { Money } from '../../../common/money';
import type { EvalAnswers } from '../../evals/eval-answers';
import type { ExperimentRow } from '../experiment-row.entity';
import type { RowTexts } from '../experiment.types';
import type { ExperimentRowDto, RowError } from './rows.dto';

/** One attempt of a listed row. */
export interface ListedAttempt extends Pick<ExperimentRow, 'attempt' | 'state' | 'evalId'> {
  error: RowError | null;
}

/** A row with its attempts in their order, without texts of the data set. */
export interface ListedRow {
  rowNo: number;
  rowId: string;
  group: string | null;
  cost: Money;
  attempts: ListedAttempt[];
}

type RowResult = ExperimentRowDto['results'][number];

/** The ids of the evals of a row, the latest first. */
export function evalIdsOf({ attempts }: ListedRow): string[] {
  return attempts
    .filter(({ state }) => state === 'done')
    .map(({ evalId }) => evalId)
    .reverse();
}

/**
 * A row for its user. It is done if any attempt is. `texts` are undefined where the data set is gone or the experiment
 * erased; `evals` are the stored ones, in any order.
 */
export function rowView(
  row: ListedRow,
  texts: RowTexts | undefined,
  evals: readonly EvalAnswers[],
  { models, samples }: { models: readonly string[]; samples: number },
): ExperimentRowDto {
  const { rowNo, rowId, group, cost } = row;
  const newestFirst = evalIdsOf(row).flatMap((id) => evals.find((one) => one.id === id) ?? []);
  return {
    row_no: rowNo,
    row_id: rowId,
    ...progressOf(row),
    input: texts?.input ?? newestFirst[0]?.input ?? null,
    ...(texts?.history && { history: texts.history }),
    expected: texts?.expected ?? null,
    ...(group !== null && { group }),
    cost_usd: cost,
    results: models.flatMap((model) => resultsOf(model, newestFirst, samples > 1)),
  };
}

function progressOf(row: ListedRow): Pick<ExperimentRowDto, 'attempt' | 'state' | 'eval_id' | 'error'> {
  const [evalId] = evalIdsOf(row);
  const { attempt, state, error } = row.attempts.at(-1) ?? { attempt: 1, state: 'waiting' as const, error: null };
  if (evalId !== undefined) return { attempt, state: 'done', eval_id: evalId };
  return { attempt, state: state === 'dealt' ? 'running' : state, eval_id: null, ...(error !== null && { error }) };
}

/** The results of a model in the latest eval in which it answered; if it never did, in the latest that asked it. */
function resultsOf(model: string, newestFirst: readonly EvalAnswers[], hasSamples: boolean): RowResult[] {
  const asked = newestFirst.map(({ models, checks, results }) => ({
    models,
    checks,
    results: results.filter(({ position }) => models[position % models.length] === model),
  }));
  const chosen =
    asked.find(({ results }) => results.some(({ error }) => error === null)) ??
    asked.find(({ results }) => results.length > 0);
  return (chosen?.results ?? []).map(({ position, output, latencyMs, cost, error, checks: verdicts }) => ({
    model,
    ...(hasSamples && { sample: Math.floor(position / (chosen?.models.length ?? 1)) }),
    output,
    ...judged(error === null ? (verdicts ?? []) : [], chosen?.checks ?? []),
    latency_ms: latencyMs,
    cost_usd: cost,
    ...(error !== null && { error }),
  }));
}

function judged(verdicts: readonly Verdict[], checks: readonly Check[]): Pick<RowResult, 'passed' | 'score'> {
  const outcome = verdicts.length === 0 ? 'errored' : checkedAs(verdicts);
  return { passed: outcome === 'errored' ? null : outcome === 'passed', score: scoreOf(verdicts, checks) };
}
