import {
  clusteredInterval,
  clusteredMean,
  clusteredQuantileInterval,
  shareInterval,
  withoutMissing,
  type Clusters,
} from '../../statistics/clustered';
import { sortedQuantile } from '../../statistics/quantiles';
import { costPerPassed } from '../../statistics/cost-per-passed';
import { roundedInterval, sixDigits } from '../../statistics/rounding';
import { detectableDifference } from '../../statistics/sample-size';
import { compareModels, coverageOf, finiteLatencies, type ComparedModels, type SummaryTask } from './compared-models';
import type { PairedColumns } from './paired-columns';
import { headlineOf, pairInWords, warningsOf } from './sentences';
import type { ExperimentColumns, ModelColumns } from './summary-input';
import type {
  CostPerPassedDto,
  ExperimentFiguresDto,
  LatencyQuantilesDto,
  MeanDto,
  ModelPairDto,
  ModelSummaryDto,
  RankingDto,
  RateDto,
} from './summary.dto';

/** Summarizes an experiment in the form in which the summary is sent and stored. */
export function summarize(task: SummaryTask): ExperimentFiguresDto {
  const { columns, isFinal } = task;
  const metric = rankedBy(columns);
  const [pairs, latencies, costs] = [
    metric === null ? [] : compareModels(task, metric),
    compareModels(task, 'latency_ms'),
    compareModels(task, 'cost_usd'),
  ];
  const ranking = metric === null ? null : rankingOf(columns.models, metric, pairs);
  const { slowest } = finiteLatencies(columns.models);
  const models = columns.models.map((model) => modelSummary(model, columns, metric, slowest));
  return {
    final: isFinal,
    rows: columns.rowCount,
    groups: columns.groupCount,
    coverage:
      columns.rowCount === 0
        ? null
        : sixDigits(Math.min(...columns.models.map((model) => coverageOf(columns, model, metric)))),
    models,
    pairs: [...pairs, ...latencies, ...costs].map((compared) => pairOnWire(compared, isFinal)),
    ranking,
    judgment: null,
    headline: headlineOf({ task, ranking, models, pairs, costs }),
    warnings: warningsOf(task, metric),
  };
}

/** Scores only rank where no check decided what passes. */
function rankedBy({ models }: ExperimentColumns): RankingDto['metric'] | null {
  if (models.some(({ sums }) => sums.decided > 0)) return 'passed';
  return models.some(({ rows }) => rows.score.some((score) => !Number.isNaN(score))) ? 'score' : null;
}

/** The places of each model. Those with the same places are in the order of their means. */
function rankingOf(
  models: readonly ModelColumns[],
  metric: RankingDto['metric'],
  pairs: readonly ComparedModels[],
): RankingDto {
  const ranked = models.map((model) => {
    const directions = pairs.map(({ first, second, direction }) =>
      first === model ? direction : second === model ? -direction : 0,
    );
    const values = withoutMissing(model.rows[metric]);
    return {
      model: model.model,
      rank: {
        best: 1 + directions.filter((direction) => direction < 0).length,
        worst: models.length - directions.filter((direction) => direction > 0).length,
      },
      mean: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    };
  });
  const sorted = ranked.sort(
    (left, right) => left.rank.best - right.rank.best || left.rank.worst - right.rank.worst || right.mean - left.mean,
  );
  return { metric, models: sorted.map(({ model, rank }) => ({ model, rank })) };
}

function modelSummary(
  ofModel: ModelColumns,
  columns: ExperimentColumns,
  metric: RankingDto['metric'] | null,
  slowest: number,
): ModelSummaryDto {
  const { model, rows, sums } = ofModel;
  const meanOf = (values: ArrayLike<number>, max?: number) => meanOnWire(values, columns, max);
  const cost = meanOf(rows.cost);
  const perCompleteRow = (sum: number) =>
    columns.samples === 1 || sums.completeRows === 0 ? null : sixDigits(sum / sums.completeRows);
  return {
    model,
    rows: sums.rows,
    answered: sums.answered,
    failed: sums.failed,
    coverage: sixDigits(coverageOf(columns, ofModel, metric)),
    passed: rateOnWire(rows.passed, columns),
    all_pass_rate: perCompleteRow(sums.allPassed),
    any_pass_rate: perCompleteRow(sums.anyPassed),
    score: meanOf(rows.score, 1),
    checks: columns.checkNames.flatMap((name, index) => {
      const rate = rateOnWire(ofModel.checks[index] ?? [], columns);
      return rate === null ? [] : [{ name, ...rate }];
    }),
    latency_ms: latencyOnWire(ofModel, columns, slowest),
    cost_usd: cost && {
      ...cost,
      total: Number(sums.cost.toFixed(12)),
      mean_without_cache: sixDigits(sums.costWithoutCache / sums.rows),
    },
    cost_per_passed: costPerPassedOnWire(rows.costPerCall, rows.passedPerCall, columns),
    output_tokens: meanOf(rows.outputTokens),
    self_agreement: columns.samples === 1 || sums.rows === 0 ? null : sixDigits(sums.modalShares / sums.rows),
  };
}

/** A share: of single answers in independent rows by Wilson's score, else by clusters. */
function rateOnWire(shares: ArrayLike<number>, { clusters, samples, groupCount }: ExperimentColumns): RateDto | null {
  const mean = clusteredMean(shares, clusters);
  if (mean === null) return null;
  const isWilson = samples === 1 && groupCount === 0;
  const interval = shareInterval(isWilson ? { ...mean, standardError: 0 } : mean);
  return { rate: sixDigits(mean.mean), ci: roundedInterval(interval), method: isWilson ? 'wilson' : 'clustered_t' };
}

function meanOnWire(values: ArrayLike<number>, { clusters }: ExperimentColumns, max = Infinity): MeanDto | null {
  const mean = clusteredMean(values, clusters);
  if (mean === null) return null;
  const interval = max === 1 ? shareInterval(mean) : clusteredInterval(mean, { min: 0 });
  return { mean: sixDigits(mean.mean), ci: roundedInterval(interval), method: 'clustered_t' };
}

/** The cost of a passed answer, by the calls of each row. */
export function costPerPassedOnWire(
  costs: Float64Array,
  passes: Float64Array,
  { clusters, samples, groupCount }: { clusters: Clusters; samples: number; groupCount: number },
): CostPerPassedDto | null {
  const cost = costPerPassed({ costs, passes, clusters, isWilson: samples === 1 && groupCount === 0 });
  return cost && { usd: sixDigits(cost.usd), ci: roundedInterval(cost.interval) };
}

function latencyOnWire(
  { rows, sums }: ModelColumns,
  { clusters, groupCount }: ExperimentColumns,
  slowest: number,
): LatencyQuantilesDto | null {
  // A timeout is longer than the slowest answer, but by how much is not known.
  const values = rows.latencyMs.map((value) => (value === Infinity ? slowest + 1 : value));
  const sorted = withoutMissing(values).sort();
  if (sorted.length === 0) return null;
  const known = (value: number) => (value > slowest ? null : sixDigits(value));
  const interval = (q: number) => {
    const ends = clusteredQuantileInterval(values, clusters, q);
    return ends === null || ends[1] > slowest ? null : roundedInterval(ends);
  };
  return {
    p50: known(sortedQuantile(sorted, 0.5)),
    p50_ci: interval(0.5),
    p90: known(sortedQuantile(sorted, 0.9)),
    p90_ci: interval(0.9),
    method: groupCount === 0 ? 'order_statistics' : 'woodruff',
    timeouts: sums.timeouts,
  };
}

function pairOnWire(compared: ComparedModels, isFinal: boolean): ModelPairDto {
  const { metric, first, second, pair, pAdjusted, direction } = compared;
  const { mean, isRatio, rows } = pair;
  const detectable = isRatio || mean === null ? null : detectableDifference(mean);
  return {
    models: [first.model, second.model],
    metric,
    rows,
    ...sizeOnWire(pair, pAdjusted),
    verdict: isFinal ? ((['worse', 'cannot_tell', 'better'] as const)[direction + 1] ?? null) : null,
    words: pairInWords(compared),
    flips: isRatio ? null : { gained: pair.higher, lost: pair.lower },
    detectable_difference: detectable === null ? null : sixDigits(detectable),
  };
}

/** The difference or the ratio of a pair, its interval, and its p-value, also adjusted. */
export function sizeOnWire(
  { mean, interval, isRatio, pValue }: PairedColumns,
  pAdjusted: number | null,
): Pick<ModelPairDto, 'difference' | 'ratio' | 'ci' | 'p_value' | 'p_adjusted'> {
  const size = mean && sixDigits(isRatio ? Math.exp(mean.mean) : mean.mean);
  return {
    difference: isRatio ? null : size,
    ratio: isRatio ? size : null,
    ci: roundedInterval(interval && isRatio ? [Math.exp(interval[0]), Math.exp(interval[1])] : interval),
    p_value: pValue === null ? null : sixDigits(pValue),
    p_adjusted: pAdjusted === null ? null : sixDigits(pAdjusted),
  };
}
