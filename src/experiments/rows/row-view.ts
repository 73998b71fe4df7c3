import { checkedAs } from '../../analysis/checked-as';
import type { Check } from '../../checks/types';
import { scoreOf, type Verdict } from '../../checks/verdict';
import type { Money } from '../../common/money';
import type { EvalAnswers } from '../../evals/eval-answers';
import type { ResultError } from '../../evals/result.entity';
import type { RowTexts } from '../experiment.types';
import type { ListedRow, RowError } from './experiment-rows.repository';

/** The states of a row as its user sees them. */
export const SHOWN_ROW_STATES = ['running', 'waiting', 'done', 'failed'] as const;

/** The answer of one model to a row. */
export interface RowResult {
  model: string;
  /** From 0; undefined if there is only one. */
  sample: number | undefined;
  output: string;
  /** True if all checks passed; null where that was not decided. */
  passed: boolean | null;
  score: number | null;
  latencyMs: number;
  cost: Money;
  error: ResultError | null;
}

/** A row with its texts and the latest answers. */
export interface RowView extends Pick<ListedRow, 'rowNo' | 'rowId' | 'group' | 'cost'> {
  /** The number of the latest attempt. */
  attempt: number;
  state: (typeof SHOWN_ROW_STATES)[number];
  /** The latest eval; null before there is one. */
  evalId: string | null;
  error: RowError | null;
  input: string | null;
  expected: string | null;
  results: RowResult[];
}

/** The ids of the evals of a row, the latest first. */
export function evalIdsOf({ attempts }: ListedRow): string[] {
  return attempts.filter(({ state }) => state === 'done').map(({ evalId }) => evalId).reverse();
}

/** A row for its user. It is done if any attempt is. `texts` are undefined where the data set is gone or the experiment erased; `evals` are the stored ones, in any order. */
export function rowView(row: ListedRow, texts: RowTexts | undefined, evals: readonly EvalAnswers[], { models, samples }: { models: readonly string[]; samples: number }): RowView {
  const { rowNo, rowId, group, cost } = row;
  const newestFirst = evalIdsOf(row).flatMap((id) => evals.find((one) => one.id === id) ?? []);
  return {
    rowNo, rowId, group, cost, ...progressOf(row),
    input: texts?.input ?? newestFirst[0]?.input ?? null,
    expected: texts?.expected ?? null,
    results: models.flatMap((model) => resultsOf(model, newestFirst, samples > 1)),
  };
}

function progressOf(row: ListedRow): Pick<RowView, 'attempt' | 'state' | 'evalId' | 'error'> {
  const [evalId] = evalIdsOf(row);
  const { attempt, state, error } = row.attempts.at(-1) ?? { attempt: 1, state: 'waiting' as const, error: null };
  if (evalId !== undefined) return { attempt, state: 'done', evalId, error: null };
  return { attempt, state: state === 'dealt' ? 'running' : state, evalId: null, error };
}

/** The results of a model in the latest eval in which it answered; if it never did, in the latest that asked it. */
function resultsOf(model: string, newestFirst: readonly EvalAnswers[], hasSamples: boolean): RowResult[] {
  const asked = newestFirst.map(({ models, checks, results }) => ({ models, checks, results: results.filter(({ position }) => models[position % models.length] === model) }));
  const chosen = asked.find(({ results }) => results.some(({ error }) => error === null)) ?? asked.find(({ results }) => results.length > 0);
  return (chosen?.results ?? []).map(({ position, output, latencyMs, cost, error, checks: verdicts }) => ({
    model, sample: hasSamples ? Math.floor(position / (chosen?.models.length ?? 1)) : undefined, output, latencyMs, cost, error, ...judged(error === null ? verdicts ?? [] : [], chosen?.checks ?? []),
  }));
}

function judged(verdicts: readonly Verdict[], checks: readonly Check[]): Pick<RowResult, 'passed' | 'score'> {
  const outcome = verdicts.length === 0 ? 'errored' : checkedAs(verdicts);
  return { passed: outcome === 'errored' ? null : outcome === 'passed', score: scoreOf(verdicts, checks) };
}
