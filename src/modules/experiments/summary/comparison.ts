import { rowsNeeded } from '../../statistics/sample-size';
import { coverageOf, scaleOf } from './compared-models';
import type {
  ComparisonVerdict,
  CostPerPassedChangeDto,
  ExperimentComparisonDto,
  MetricChangeDto,
  MetricChangesDto,
  ModelComparisonDto,
  ResponseModelsDto,
} from './comparison.dto';
import { gather, meanBeside, medianOf } from './matched-columns';
import { adjustedPValues, directionOf, MIN_COVERAGE, pairColumns, type PairedColumns } from './paired-columns';
import { costPerPassedOnWire, sizeOnWire } from './summary';
import type { ExperimentColumns, ModelColumns, RowFigure } from './summary-input';
import { coverageInWords, differenceInWords, inPoints, namesInWords, rowsInWords, sizeInWords } from './words';

const MAX_LISTED = 100;
type Metric = keyof MetricChangesDto;
const FIGURES: Record<Metric, RowFigure> = {
  passed: 'passed',
  score: 'score',
  cost_usd: 'cost',
  output_tokens: 'outputTokens',
};
const FROM_WORST: readonly ComparisonVerdict[] = ['worse', 'cannot_tell', 'not_worse', 'better'];

/** An experiment with the id and a hash of the content of each row, in the order of its columns. */
export interface ExperimentRows {
  experimentId: string;
  columns: ExperimentColumns;
  rowIds: readonly string[];
  contentHashes: readonly string[];
}

/** The part of a comparison that the caller chooses. */
export interface ComparisonQuestion {
  /** The loss that counts as not worse, such as 0.02. */
  tolerance: number;
  /** A model of each; by default the models of both. */
  models?: readonly { before: string; after: string }[];
}

/** How two experiments are compared. */
export interface ComparisonOptions extends ComparisonQuestion {
  /** True if both have ended. */
  isFinal: boolean;
  requestChanged: string[];
  responseModels: ResponseModelsDto[];
}

/** The rows that both experiments have, by their indexes in each. */
interface Matched {
  before: readonly number[];
  after: readonly number[];
  unmatched: readonly string[];
}

/** A metric of two models over the matched rows that have it in both experiments. */
interface MetricPair {
  pair: PairedColumns;
  before: number | null;
  after: number | null;
  /** The share of rows and calls that count. */
  coverage: number;
}

interface ModelPairing {
  before: ModelColumns;
  after: ModelColumns;
  metrics: Record<Metric, MetricPair>;
  perPassed: CostPerPassedChangeDto;
}

/** Compares two experiments row by row. Returns undefined without a common row or model. */
export function compareExperiments(
  before: ExperimentRows,
  after: ExperimentRows,
  options: ComparisonOptions,
): ExperimentComparisonDto | undefined {
  const matched = matchRows(before, after);
  const named = options.models ?? after.columns.models.map(({ model }) => ({ before: model, after: model }));
  const pairings = named.flatMap((names) => pairingOf(before, after, { names, matched, options }) ?? []);
  if (matched.after.length === 0 || pairings.length === 0) return undefined;
  const adjusted = byMetric((metric) => adjustedPValues(pairings.map(({ metrics }) => metrics[metric].pair)));
  const models = pairings.map((pairing, index) =>
    modelComparison(pairing, {
      matched,
      rowIds: after.rowIds,
      options,
      pAdjusted: byMetric((metric) => adjusted[metric][index] ?? null),
    }),
  );
  return {
    final: options.isFinal,
    rows: matched.after.length,
    unmatched: { count: matched.unmatched.length, row_ids: matched.unmatched.slice(0, MAX_LISTED) },
    tolerance: options.tolerance,
    models,
    response_models: options.responseModels,
    request_changed: options.requestChanged,
    verdict: FROM_WORST.find((verdict) => models.some((model) => model.verdict === verdict)) ?? null,
    words:
      models.length === 1 || !options.isFinal
        ? (models[0]?.words ?? '')
        : FROM_WORST.flatMap((verdict) => verdictInWords(verdict, models)).join(' '),
  };
}

function byMetric<T>(of: (metric: Metric) => T): Record<Metric, T> {
  return { passed: of('passed'), score: of('score'), cost_usd: of('cost_usd'), output_tokens: of('output_tokens') };
}

function matchRows(before: ExperimentRows, after: ExperimentRows): Matched {
  const earlier = new Map(before.rowIds.map((rowId, index) => [rowId, index]));
  const [left, right, unmatched]: [number[], number[], string[]] = [[], [], []];
  for (const [index, rowId] of after.rowIds.entries()) {
    const other = earlier.get(rowId);
    earlier.delete(rowId);
    if (other === undefined || before.contentHashes[other] !== after.contentHashes[index]) {
      unmatched.push(rowId);
      continue;
    }
    left.push(other);
    right.push(index);
  }
  return { before: left, after: right, unmatched: [...unmatched, ...earlier.keys()] };
}

/** The metrics of two models; undefined where an experiment lacks one of them. */
function pairingOf(
  before: ExperimentRows,
  after: ExperimentRows,
  {
    names,
    matched,
    options,
  }: { names: { before: string; after: string }; matched: Matched; options: ComparisonOptions },
): ModelPairing | undefined {
  const [left, right] = [modelOf(before, names.before), modelOf(after, names.after)];
  if (left === undefined || right === undefined) return undefined;
  const { clusters, groupCount, samples } = after.columns;
  const matchedClusters = { of: gather(clusters.of, matched.after), count: clusters.count };
  // The same whichever experiment comes first.
  const seed = [`${before.experimentId} ${names.before}`, `${after.experimentId} ${names.after}`].sort().join('|');
  const metrics = byMetric((metric): MetricPair => {
    const [earlier, later] = [
      gather(left.rows[FIGURES[metric]], matched.before),
      gather(right.rows[FIGURES[metric]], matched.after),
    ];
    const scale = scaleOf({ samples: Math.max(before.columns.samples, samples), groupCount }, metric);
    const pair = pairColumns(later, earlier, {
      clusters: matchedClusters,
      scale,
      seed: `${metric}|${seed}`,
      isTested: options.isFinal,
    });
    const counted = metric === 'passed' ? metric : null;
    const coverage = Math.min(
      pair.rows / Math.max(1, later.length),
      coverageOf(before.columns, left, counted),
      coverageOf(after.columns, right, counted),
    );
    return { pair, before: meanBeside(earlier, later), after: meanBeside(later, earlier), coverage };
  });
  const perPassed = ({ rows: { costPerCall, passedPerCall } }: ModelColumns, indexes: readonly number[]) =>
    costPerPassedOnWire(gather(costPerCall, indexes), gather(passedPerCall, indexes), {
      clusters: matchedClusters,
      samples,
      groupCount,
    });
  return {
    before: left,
    after: right,
    metrics,
    perPassed: { before: perPassed(left, matched.before), after: perPassed(right, matched.after) },
  };
}

function modelOf({ columns }: ExperimentRows, name: string): ModelColumns | undefined {
  return columns.models.find(({ model }) => model === name);
}

interface ComparedRows {
  matched: Matched;
  rowIds: readonly string[];
  options: ComparisonOptions;
  pAdjusted: Record<Metric, number | null>;
}

function modelComparison(
  { before, after, metrics, perPassed }: ModelPairing,
  { matched, rowIds, options, pAdjusted }: ComparedRows,
): ModelComparisonDto {
  const changes = byMetric((metric) => metricChange(metrics[metric], pAdjusted[metric], options));
  const deciding = metrics.passed.pair.rows > 0 ? ('passed' as const) : ('score' as const);
  const [earlier, later] = [gather(before.rows[deciding], matched.before), gather(after.rows[deciding], matched.after)];
  const flipped = (direction: 1 | -1) =>
    matched.after.flatMap((index, row) =>
      direction * ((later[row] ?? NaN) - (earlier[row] ?? NaN)) > 0 ? (rowIds[index] ?? []) : [],
    );
  const [gained, lost] = [flipped(1), flipped(-1)];
  const name = before.model === after.model ? after.model : `${after.model} (before: ${before.model})`;
  return {
    model: after.model,
    against_model: before.model,
    metrics: changes,
    latency_ms: {
      before: medianOf(gather(before.rows.latencyMs, matched.before)),
      after: medianOf(gather(after.rows.latencyMs, matched.after)),
    },
    cost_per_passed: perPassed,
    flips: {
      gained_count: gained.length,
      lost_count: lost.length,
      gained: gained.slice(0, MAX_LISTED),
      lost: lost.slice(0, MAX_LISTED),
    },
    verdict: options.isFinal ? (changes[deciding]?.verdict ?? 'cannot_tell') : null,
    words: changeInWords(name, metrics[deciding], changes[deciding], options),
  };
}

function metricChange(
  { pair, before, after, coverage }: MetricPair,
  pAdjusted: number | null,
  { isFinal, tolerance }: ComparisonOptions,
): MetricChangeDto | null {
  if (pair.rows === 0) return null;
  const margin = pair.isRatio ? Math.log1p(tolerance) : tolerance;
  const verdict = verdictOf(pair, { pAdjusted, coverage, margin });
  const sign = pair.isLowerBetter ? -1 : 1;
  const needed =
    verdict !== 'cannot_tell' || coverage < MIN_COVERAGE || pair.mean === null
      ? null
      : rowsNeeded({ ...pair.mean, mean: sign * pair.mean.mean }, margin);
  return {
    rows: pair.rows,
    before,
    after,
    ...sizeOnWire(pair, pAdjusted),
    verdict: isFinal ? verdict : null,
    rows_needed: needed === null ? null : Math.max(pair.rows + 1, needed),
  };
}

function verdictOf(
  pair: PairedColumns,
  { pAdjusted, coverage, margin }: { pAdjusted: number | null; coverage: number; margin: number },
): ComparisonVerdict {
  if (coverage < MIN_COVERAGE) return 'cannot_tell';
  const direction = directionOf(pair, pAdjusted);
  if (direction !== 0) return direction > 0 ? 'better' : 'worse';
  // Ratios that are the same in each row have no interval, and need none.
  const [low, high] =
    pair.interval ?? (pair.mean?.standardError === 0 ? [pair.mean.mean, pair.mean.mean] : [-Infinity, Infinity]);
  return (pair.isLowerBetter ? -high : low) >= -margin ? 'not_worse' : 'cannot_tell';
}

function changeInWords(
  name: string,
  { pair, coverage }: MetricPair,
  change: MetricChangeDto | null,
  { isFinal, tolerance }: ComparisonOptions,
): string {
  if (change === null) return `${name}: no row was decided in both experiments.`;
  const on = `on ${rowsInWords(change.rows)}, for rows like these`;
  if (!isFinal)
    return `${name}: ${differenceInWords(pair)}, ${on}. Nothing is tested before both experiments are final.`;
  if (coverage < MIN_COVERAGE)
    return `${name}: only ${coverageInWords(coverage)} of the calls count, so nothing can be concluded.`;
  switch (change.verdict) {
    case 'better':
    case 'worse':
      return `${name} is ${change.verdict} than before by ${sizeInWords(pair)} ${on}.`;
    case 'not_worse':
      return `${name} is not worse than before by more than ${inPoints(tolerance)} points (${differenceInWords(pair)}) ${on}.`;
    default:
      return `${name}: it cannot be told if it became worse (${differenceInWords(pair)}) ${on}.${change.rows_needed === null ? '' : ` About ${rowsInWords(change.rows_needed)} would show that it is not worse by more than ${inPoints(tolerance)} points, if the difference stays.`}`;
  }
}

const IN_WORDS: Record<ComparisonVerdict, string> = {
  worse: 'Worse',
  cannot_tell: 'Cannot tell',
  not_worse: 'Not worse',
  better: 'Better',
};

/** "Worse: a and b." */
function verdictInWords(verdict: ComparisonVerdict, models: readonly ModelComparisonDto[]): string[] {
  const names = models.filter((model) => model.verdict === verdict).map(({ model }) => model);
  return names.length === 0 ? [] : [`${IN_WORDS[verdict]}: ${namesInWords(names)}.`];
}
