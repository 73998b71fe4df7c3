import { MIN_SERIAL_RATIO } from '../../statistics/leader';
import {
  ALPHA,
  adjustedPValues,
  directionOf,
  MIN_COVERAGE,
  pairColumns,
  type PairedColumns,
  type Scale,
} from './paired-columns';
import type { ExperimentColumns, ModelColumns, RowFigure } from './summary-input';
import type { ComparedMetric } from './summary.dto';
import { coverageInWords, inPercent } from './words';

/** An experiment to summarize. Its id is the seed of signs that are drawn at random. */
export interface SummaryTask {
  experimentId: string;
  columns: ExperimentColumns;
  isFinal: boolean;
  rowCountOfDataset: number;
  temperature: number;
}

/** Two models in one metric. */
export interface ComparedModels {
  metric: ComparedMetric;
  first: ModelColumns;
  second: ModelColumns;
  pair: PairedColumns;
  pAdjusted: number | null;
  /** 1 if the first is better, -1 if it is worse, 0 if luck may explain the difference. */
  direction: -1 | 0 | 1;
  because: string | undefined;
}

/** The reason while an experiment is not final. */
export const NOT_TESTED = 'Nothing is tested before the experiment is final.';

const FIGURES: Record<ComparedMetric, RowFigure> = {
  passed: 'passed',
  score: 'score',
  latency_ms: 'latencyMs',
  cost_usd: 'cost',
};

/** Compares every two models of an experiment in one metric. */
export function compareModels(
  { experimentId, columns, isFinal }: SummaryTask,
  metric: ComparedMetric,
): ComparedModels[] {
  const { models, clusters } = columns;
  const values =
    metric === 'latency_ms' ? finiteLatencies(models).columns : models.map(({ rows }) => rows[FIGURES[metric]]);
  const pairs = models.flatMap((first, index) =>
    models.slice(index + 1).map((second, offset) => {
      // The same whichever model comes first.
      const seed = [experimentId, metric, ...[first.model, second.model].sort()].join('|');
      const own = [values[index] ?? new Float64Array(), values[index + 1 + offset] ?? new Float64Array()] as const;
      const [one, other] =
        (metric === 'score' ? columns.duels?.get(`${index} ${index + 1 + offset}`) : undefined) ?? own;
      const pair = pairColumns(one, other, {
        clusters,
        scale: scaleOf(columns, metric),
        seed,
        isTested: isFinal,
      });
      return { metric, first, second, pair };
    }),
  );
  const adjusted = adjustedPValues(pairs.map(({ pair }) => pair));
  return pairs.map((compared, index) => {
    const pAdjusted = adjusted[index] ?? null;
    const doubt = isFinal ? doubtOf(compared, columns) : NOT_TESTED;
    const direction = doubt === undefined ? directionOf(compared.pair, pAdjusted) : 0;
    return {
      ...compared,
      pAdjusted,
      because: doubt ?? (direction === 0 ? contradictionOf(compared.pair, pAdjusted) : undefined),
      direction,
    };
  });
}

/** Why no model is better although the interval excludes equal ones: few rows that differ, or many pairs. */
function contradictionOf({ interval }: PairedColumns, pAdjusted: number | null): string | undefined {
  if (interval === null || pAdjusted === null || (interval[0] <= 0 && interval[1] >= 0)) return undefined;
  return `The range excludes equal models, but the test does not exclude luck: its p is ${Number(pAdjusted.toPrecision(3))}, above ${ALPHA}.`;
}

/** How the values of a metric are compared. */
export function scaleOf(
  { samples, groupCount }: Pick<ExperimentColumns, 'samples' | 'groupCount'>,
  metric: ComparedMetric | 'output_tokens',
): Scale {
  const isRatio = metric !== 'passed' && metric !== 'score';
  return { isRatio, isLowerBetter: isRatio, isBinary: metric === 'passed' && samples === 1 && groupCount === 0 };
}

/** The share of the calls of a model that count in a metric. */
export function coverageOf(
  { samples, rowCount }: Pick<ExperimentColumns, 'samples' | 'rowCount'>,
  { sums }: ModelColumns,
  metric: ComparedMetric | null,
): number {
  const counted =
    metric === 'passed' ? sums.decided : metric === 'latency_ms' ? sums.answered + sums.timeouts : sums.answered;
  return rowCount === 0 ? 0 : Math.min(1, counted / (rowCount * samples));
}

/**
 * The latencies of all models with timeouts as 1 ms longer than the slowest answer, and that of the slowest answer.
 * Less than the measured millisecond has no ratio.
 */
export function finiteLatencies(models: readonly ModelColumns[]): { columns: Float64Array[]; slowest: number } {
  const slowest = models.reduce(
    (all, { rows }) =>
      rows.latencyMs.reduce((max, value) => (Number.isFinite(value) && value > max ? value : max), all),
    1,
  );
  return {
    columns: models.map(({ rows }) =>
      rows.latencyMs.map((value) => (value === Infinity ? slowest + 1 : Math.max(1, value))),
    ),
    slowest,
  };
}

/** Why no model of a pair is better, whatever the p-value. */
function doubtOf(
  { metric, first, second, pair }: Pick<ComparedModels, 'metric' | 'first' | 'second' | 'pair'>,
  columns: ExperimentColumns,
): string | undefined {
  const coverage = Math.min(
    coverageOf(columns, first, metric),
    coverageOf(columns, second, metric),
    columns.rowCount === 0 ? 0 : pair.rows / columns.rowCount,
  );
  if (coverage < MIN_COVERAGE)
    return `Only ${coverageInWords(coverage)} of the calls count; below ${inPercent(MIN_COVERAGE)} no model is called better.`;
  const isSmall =
    metric === 'latency_ms' && pair.mean !== null && Math.exp(Math.abs(pair.mean.mean)) < MIN_SERIAL_RATIO - 1e-9;
  return isSmall
    ? `A difference counts only from ${MIN_SERIAL_RATIO} × on, because latency differs as much from one moment to the next.`
    : undefined;
}
