import { Money } from '../../common/money';
import type { ModelAnswers, SelfAgreement } from '../statistics/answer-comparison';
import { meanOf, wilson, type Interval } from '../statistics/intervals';
import { leadOver, type Contender } from '../statistics/leader';
import { mean } from '../statistics/mean';
import { median, quantile, quantileInterval } from '../statistics/quantiles';
import { checkedAs } from './checked-as';
import { costWithoutCache } from './cost-without-cache';
import type { StoredEval } from '../evals/evals.service';
import { leadInWords } from './lead-in-words';
import { cheapest, fastest, latencyRank, leadable } from '../evals/ranking';
import type { Result } from '../evals/result.entity';

/** A median with its 95 % interval; null where the samples allow none. */
export interface Median {
  p50: number;
  p50Interval: Interval | null;
}

/** The results of one model over all samples. Only answered ones count; null where there is none. */
export interface ModelStatistics {
  model: string;
  answered: number;
  failed: number;
  latencyMs: (Median & { p90: number; p90Interval: Interval | null; min: number; max: number }) | null;
  /** Time to first token. */
  ttftMs: Median | null;
  cost: { total: Money; mean: Money; min: Money; max: Money; stddev: number | null; meanWithoutCache: Money } | null;
  outputTokens: { mean: number; min: number; max: number } | null;
  /** Absent where the eval has no checks. Results that no check could decide are left out. */
  checks?: { passed: number; of: number; rate: number | null; interval: Interval | null };
  agreement: SelfAgreement | null;
}

/** The model with the lowest median, and how sure it is that it leads. */
export interface Leader {
  model: string;
  confident: boolean;
  pValue: number | null;
  because: string;
}

export interface EvalStatistics {
  samples: number;
  models: ModelStatistics[];
  /** Null when every model failed. */
  fastest: Leader | null;
  cheapest: Leader | null;
}

/** The statistics of an eval, given how far each model agrees with itself. */
export function statisticsOf(
  { record, results }: StoredEval,
  agreements: readonly (SelfAgreement | null)[],
): EvalStatistics {
  const rounds = roundsOf(record.models, results);
  const field = { rounds, leading: new Set<Result>(leadable(results)), durationMs: record.durationMs };
  return {
    samples: record.samples,
    models: rounds.map((ofModel, index) => ({
      ...modelStatistics(ofModel, record.samples),
      agreement: agreements[index] ?? null,
    })),
    fastest: leader(fastest(results), 'latency', field),
    cheapest: leader(cheapest(results), 'cost', field),
  };
}

interface ModelRounds {
  model: string;
  results: readonly Result[];
}

/** The results of each model, in the order of the samples: they are stored sample by sample. */
function roundsOf(models: readonly string[], results: readonly Result[]): ModelRounds[] {
  return models.map((model, position) => ({
    model,
    results: results.filter((_, index) => index % models.length === position),
  }));
}

/** The answers of each model; failed calls have none. */
export function answersOf({ record, results }: StoredEval): ModelAnswers[] {
  return roundsOf(record.models, results).map(({ model, results }) => ({
    model,
    answers: results.filter(isAnswered).map(({ output }) => output),
  }));
}

function isAnswered({ error }: Result): boolean {
  return error === null;
}

function modelStatistics({ model, results }: ModelRounds, samples: number): Omit<ModelStatistics, 'agreement'> {
  const answered = results.filter(isAnswered);
  const checks = results.every((result) => result.checks === null) ? undefined : checkStatistics(answered, samples);
  return {
    model,
    answered: answered.length,
    failed: results.length - answered.length,
    latencyMs: latencyStatistics(answered.map(({ latencyMs }) => latencyMs)),
    ttftMs: medianOf(answered.flatMap(({ details }) => details.ttftMs ?? [])),
    cost: costStatistics(answered),
    outputTokens: tokenStatistics(answered.map(({ outputTokens }) => outputTokens)),
    ...(checks !== undefined && { checks }),
  };
}

function latencyStatistics(latencies: readonly number[]): ModelStatistics['latencyMs'] {
  const middle = medianOf(latencies);
  return (
    middle && {
      ...middle,
      p90: quantile(latencies, 0.9),
      p90Interval: quantileInterval(latencies, 0.9),
      min: Math.min(...latencies),
      max: Math.max(...latencies),
    }
  );
}

function medianOf(values: readonly number[]): Median | null {
  return values.length === 0 ? null : { p50: median(values), p50Interval: quantileInterval(values, 0.5) };
}

function costStatistics(answered: readonly Result[]): ModelStatistics['cost'] {
  const costs = answered.map(({ cost }) => cost).sort((left, right) => left.compare(right));
  const [min, max] = [costs[0], costs.at(-1)];
  if (min === undefined || max === undefined) return null;
  const total = Money.sum(costs);
  const withoutCache = Money.sum(answered.map(costWithoutCache));
  return {
    total,
    mean: total.dividedBy(costs.length),
    min,
    max,
    stddev: standardDeviation(costs.map(toNumber)),
    meanWithoutCache: withoutCache.dividedBy(costs.length),
  };
}

/** Of a sample; null for a single value. */
function standardDeviation(values: readonly number[]): number | null {
  const { standardError } = meanOf(values);
  return standardError && standardError * Math.sqrt(values.length);
}

function tokenStatistics(counts: readonly number[]): ModelStatistics['outputTokens'] {
  return counts.length === 0 ? null : { mean: mean(counts), min: Math.min(...counts), max: Math.max(...counts) };
}

function checkStatistics(answered: readonly Result[], samples: number): ModelStatistics['checks'] {
  const outcomes = answered.map(({ checks }) => checkedAs(checks ?? []));
  const passed = outcomes.filter((outcome) => outcome === 'passed').length;
  const decided = outcomes.filter((outcome) => outcome !== 'errored').length;
  return {
    passed,
    of: decided,
    rate: decided === 0 ? null : passed / decided,
    interval: samples === 1 ? null : wilson(passed, decided),
  };
}

/** Results by model, the set of results that may lead, and the time they took together. */
interface Field {
  rounds: readonly ModelRounds[];
  leading: ReadonlySet<Result>;
  durationMs: number;
}

/** The calls of each model that are not compared, in words: "a: 8 of 16 failed." */
function absencesOf({ rounds, leading }: Field, measure: 'latency' | 'cost'): string[] {
  return rounds.flatMap(({ model, results }) => {
    const [failed, timedOut, blank] = [
      (result: Result) => !isAnswered(result),
      (result: Result) => latencyRank(result) === Infinity,
      (result: Result) => isAnswered(result) && !leading.has(result),
    ].map((is) => results.filter(is).length);
    const slow =
      measure === 'latency' && timedOut ? `, ${timedOut} by a timeout, which is slower than every answer` : '';
    return [
      ...(failed ? [`${model}: ${failed} of ${results.length} failed${slow}.`] : []),
      ...(blank ? [`${model}: ${blank} of ${results.length} had no text and do not count.`] : []),
    ];
  });
}

/**
 * Latencies are at least the millisecond that is measured, so that they have a ratio. A timeout is a latency too, of no
 * known length.
 */
function contendersOf({ rounds, leading }: Field, measure: 'latency' | 'cost'): Contender[] {
  const of = (result: Result) => (measure === 'latency' ? Math.max(1, latencyRank(result)) : toNumber(result.cost));
  const counts = (result: Result) => leading.has(result) || (measure === 'latency' && latencyRank(result) === Infinity);
  return rounds.map(({ model, results }) => ({
    name: model,
    rounds: results.map((result) => (counts(result) ? of(result) : undefined)),
  }));
}

function leader(model: string, measure: 'latency' | 'cost', field: Field): Leader | null {
  const contenders = contendersOf(field, measure);
  const leading = contenders.find(({ name }) => name === model);
  if (leading === undefined) return null;
  const lead = leadOver(
    leading,
    contenders.filter((contender) => contender !== leading && contender.rounds.some(Number.isFinite)),
    measure === 'latency',
  );
  const medianOfAll = (contender: Contender | undefined) =>
    medianOf(contender?.rounds.flatMap((round) => (round === undefined || round === Infinity ? [] : round)) ?? [])?.p50;
  const rival = contenders.find(({ name }) => name === lead.rival?.name);
  const because = leadInWords(model, lead, {
    measure,
    median: medianOfAll(leading),
    rivalMedian: medianOfAll(rival),
    durationMs: field.durationMs,
  });
  return {
    model,
    confident: lead.confident,
    pValue: lead.pValue,
    because: [because, ...absencesOf(field, measure)].join(' '),
  };
}

function toNumber(amount: Money): number {
  return Number(amount.toString());
}
