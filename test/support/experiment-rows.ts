import { encodeFigures, type ModelFigures } from '../../src/modules/experiments/summary/figures';
import {
  SummaryInput,
  type ExperimentColumns,
  type FiguresRow,
  type SummaryInputOptions,
} from '../../src/modules/experiments/summary/summary-input';

const ANSWERED: ModelFigures = {
  answered: 1,
  failed: 0,
  decided: 1,
  passed: 1,
  score: 1,
  latencyMs: 100,
  timeouts: 0,
  ttftMs: 10,
  cost: 0.001,
  costWithoutCache: 0.001,
  outputTokens: 20,
  distinct: 1,
  modal: 1,
  cut: 0,
  temperatureIgnored: 0,
  cachedInputTokens: 0,
  inputTokens: 50,
  checks: [],
};

/** A call that failed. */
export const FAILED: Partial<ModelFigures> = {
  answered: 0,
  failed: 1,
  decided: 0,
  passed: 0,
  score: NaN,
  latencyMs: NaN,
  ttftMs: NaN,
  cost: 0,
  costWithoutCache: 0,
  outputTokens: NaN,
  distinct: 0,
  modal: 0,
  inputTokens: 0,
};
/** A call that timed out. */
export const TIMED_OUT: Partial<ModelFigures> = { ...FAILED, latencyMs: Infinity, timeouts: 1 };
/** An answer that passed, that failed its checks, and that no check could decide. */
export const PASSED: Partial<ModelFigures> = {};
export const WRONG: Partial<ModelFigures> = { passed: 0, score: 0 };
export const UNDECIDED: Partial<ModelFigures> = { decided: 0, passed: 0, score: NaN };

/** A row with the figures of each model, by default those of an answer that passed. */
export function rowOf(figures: readonly Partial<ModelFigures>[], group: string | null = null): FiguresRow {
  return { group, figures: encodeFigures(figures.map((ofModel) => ({ ...ANSWERED, ...ofModel }))) };
}

/** The columns of rows. */
export function columnsOf(rows: readonly FiguresRow[], options: Partial<SummaryInputOptions> = {}): ExperimentColumns {
  const input = new SummaryInput({ models: ['a', 'b'], checkNames: [], samples: 1, capacity: rows.length, ...options });
  input.add(rows);
  return input.columns();
}

/** A list of `count` times what `of` returns. */
export function times<T>(count: number, of: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(index));
}
