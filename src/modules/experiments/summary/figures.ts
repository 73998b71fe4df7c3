import { checkedAs } from '../../analysis/checked-as';
import { costWithoutCache } from '../../analysis/cost-without-cache';
import type { Check } from '../../checks/types';
import { scoreOf, type Verdict } from '../../checks/verdict';
import { Money } from '../../../common/money';
import type { StoredEval } from '../../evals/evals.service';
import { latencyRank } from '../../evals/ranking';
import type { Result, ResultError } from '../../evals/result.entity';
import type { CompareCommand } from '../../execution/compare.types';
import { AnswerReader } from '../../statistics/answer-reader';
import { mean } from '../../statistics/mean';
import { sortedQuantile } from '../../statistics/quantiles';

/** Calls of which a check was decided, and of these the ones that passed. */
export interface CheckFigures {
  decided: number;
  passed: number;
}

/** The figures of one model over its samples of one row. NaN is unknown. */
export interface ModelFigures extends CheckFigures {
  answered: number;
  failed: number;
  /** Mean score of the answers, from 0 to 1. */
  score: number;
  /**
   * Median of the answers and timeouts, in milliseconds. Infinity where it is a timeout, which is slower than every
   * answer.
   */
  latencyMs: number;
  timeouts: number;
  /** Median time to first token, in milliseconds. */
  ttftMs: number;
  /** Sum of all calls, in USD. */
  cost: number;
  /** The same if the vendor had cached no input. */
  costWithoutCache: number;
  /** Mean of the answers. */
  outputTokens: number;
  /** The number of different answers, and how many agree with the most frequent one. */
  distinct: number;
  modal: number;
  /** Answers that ended at a token limit. */
  cut: number;
  /** Answers of a model that does not take the temperature. */
  temperatureIgnored: number;
  cachedInputTokens: number;
  inputTokens: number;
  /** One for each check of the experiment. */
  checks: CheckFigures[];
}

const MEMBERS = [
  'answered',
  'failed',
  'decided',
  'passed',
  'score',
  'latencyMs',
  'timeouts',
  'ttftMs',
  'cost',
  'costWithoutCache',
  'outputTokens',
  'distinct',
  'modal',
  'cut',
  'temperatureIgnored',
  'cachedInputTokens',
  'inputTokens',
] as const satisfies (keyof ModelFigures)[];

/** Where each figure of a model is encoded; the counts of each check follow, decided before passed. */
export const FIGURE_INDEX = Object.fromEntries(
  [...MEMBERS, 'checks'].map((member, index) => [member, index]),
) as Readonly<Record<(typeof MEMBERS)[number] | 'checks', number>>;

/** The number of encoded values of one model. */
export function figuresWidth(checkCount: number): number {
  return MEMBERS.length + 2 * checkCount;
}

/**
 * The figures of a row, one model of the experiment after the other, and the models without an answer. A further
 * attempt asks only some models; the others have no calls in it.
 */
export function figuresOfEval(
  { record, results }: StoredEval,
  { models, checks }: Pick<CompareCommand, 'models' | 'checks'>,
): { figures: number[]; missing: string[] } {
  const names = checks.map(({ name }) => name);
  const asked = figuresOf(results, record.models, names, record.checks ?? []);
  const missing = record.models.filter((_, index) => asked[index]?.answered === 0);
  return {
    figures: encodeFigures(models.map((model) => asked[record.models.indexOf(model)] ?? modelFigures([], names, []))),
    missing,
  };
}

/** The figures of a row in which no model answered. */
export function failureFigures(
  errors: readonly { model: string; error: ResultError }[],
  asked: readonly string[],
  { models, checks, samples }: CompareCommand,
): number[] {
  const noCalls = modelFigures(
    [],
    checks.map(({ name }) => name),
    [],
  );
  const ofModel = (model: string): ModelFigures => {
    if (!asked.includes(model)) return noCalls;
    const isTimeout = errors.some((one) => one.model === model && one.error.code === 'timeout');
    return { ...noCalls, failed: samples, ...(isTimeout && { timeouts: samples, latencyMs: Infinity }) };
  };
  return encodeFigures(models.map(ofModel));
}

/**
 * The figures of each model of a row. `checks` are all checks of the row, for their weights; `checkNames` those of the
 * experiment.
 */
export function figuresOf(
  results: readonly Result[],
  models: readonly string[],
  checkNames: readonly string[],
  checks: readonly Check[] = [],
): ModelFigures[] {
  return models.map((_, index) =>
    modelFigures(
      results.filter(({ position }) => position % models.length === index),
      checkNames,
      checks,
    ),
  );
}

function modelFigures(
  results: readonly Result[],
  checkNames: readonly string[],
  checks: readonly Check[],
): ModelFigures {
  const answered = results.filter(({ error }) => error === null);
  const verdicts = answered.map((result) => result.checks ?? []);
  const timeouts = results.filter((result) => latencyRank(result) === Infinity).length;
  const sayings = answersByMeaning(answered.map(({ output }) => output));
  const warned = (code: string) =>
    answered.filter(({ warnings }) => warnings.some((warning) => warning.code === code)).length;
  const total = (of: (result: Result) => number) => answered.reduce((sum, result) => sum + of(result), 0);
  return {
    answered: answered.length,
    failed: results.length - answered.length,
    ...countsOf(verdicts.filter((ofAnswer) => ofAnswer.length > 0)),
    score: meanOrNaN(verdicts.flatMap((ofAnswer) => scoreOf(ofAnswer, checks) ?? [])),
    latencyMs: medianOrNaN([
      ...answered.map(({ latencyMs }) => latencyMs),
      ...new Array<number>(timeouts).fill(Infinity),
    ]),
    timeouts,
    ttftMs: medianOrNaN(answered.flatMap(({ details }) => details.ttftMs ?? [])),
    cost: amountOf(results.map(({ cost }) => cost)),
    costWithoutCache: amountOf(results.map(costWithoutCache)),
    outputTokens: meanOrNaN(answered.map(({ outputTokens }) => outputTokens)),
    distinct: sayings.length,
    modal: Math.max(0, ...sayings),
    cut: warned('output_truncated'),
    temperatureIgnored: warned('temperature_ignored'),
    cachedInputTokens: total(({ details }) => details.cachedInputTokens),
    inputTokens: total(({ inputTokens }) => inputTokens),
    checks: checkNames.map((name) =>
      countsOf(
        verdicts.flatMap((ofAnswer) => ofAnswer.filter((verdict) => verdict.name === name).map((verdict) => [verdict])),
      ),
    ),
  };
}

/** Counts answers by the joint outcome of their verdicts. */
function countsOf(verdicts: readonly (readonly Verdict[])[]): CheckFigures {
  const outcomes = verdicts.map(checkedAs);
  return {
    decided: outcomes.filter((outcome) => outcome !== 'errored').length,
    passed: outcomes.filter((outcome) => outcome === 'passed').length,
  };
}

/** How often each thing was said. */
function answersByMeaning(answers: readonly string[]): number[] {
  // One answer needs no reading, which takes time for long ones.
  if (answers.length < 2) return answers.map(() => 1);
  const reader = new AnswerReader();
  return [...Map.groupBy(reader.read(answers), (answer) => reader.keyOf(answer)).values()].map(({ length }) => length);
}

function amountOf(amounts: readonly Money[]): number {
  return Number(Money.sum(amounts).toString());
}

function meanOrNaN(values: readonly number[]): number {
  return values.length === 0 ? NaN : mean(values);
}

/** Two middle values of which one is a timeout have no mean: the median is a timeout. */
function medianOrNaN(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => (left < right ? -1 : 1));
  if (sorted.length === 0) return NaN;
  return sorted[Math.floor(sorted.length / 2)] === Infinity ? Infinity : sortedQuantile(sorted, 0.5);
}

/** The figures of the models of a row in one list, for storage. */
export function encodeFigures(figures: readonly ModelFigures[]): number[] {
  return figures.flatMap((ofModel) => [
    ...MEMBERS.map((member) => ofModel[member]),
    ...ofModel.checks.flatMap(({ decided, passed }) => [decided, passed]),
  ]);
}
