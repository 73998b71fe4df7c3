import { costOf } from '../billing/pricing';
import type { Verdict } from '../checks/verdict';
import { Money } from '../../common/money';
import { mean } from '../statistics/mean';
import { median } from '../statistics/quantiles';
import { sixDigits } from '../statistics/rounding';
import { sortedJson } from '../statistics/sorted-json';
import type { Eval } from '../evals/eval.entity';
import type { StoredEval } from '../evals/evals.service';
import type { ExtraOptions } from '../evals/extra-options';
import { leadable } from '../evals/ranking';
import type { Result, ResultDetails } from '../evals/result.entity';
import { priceOf, ratioOf, tokensOf } from './list-price';

/** A figure of the earlier and of the later eval; null where no call answered. */
export interface Change<T> extends Both<T | null> {
  change: T | null;
}

/** A setting of the call in the earlier and in the later eval. */
export interface Setting<T> extends Both<T> {
  changed: boolean;
}

/** The answers of a model in one eval, by sample. */
export type Calls = Both<readonly Result[]>;

/** The same of the earlier and of the later eval. */
interface Both<T> {
  before: T;
  after: T;
}

/** The result of a function for either eval. */
export function bothOf<From, To>({ before, after }: Both<From>, of: (side: From) => To): Both<To> {
  return { before: of(before), after: of(after) };
}

/** The names of the checks that more, or fewer, of the answers passed than before. */
export interface CheckChanges {
  improved: string[];
  regressed: string[];
}

/** Why the mean cost of a call changed, in USD; the two add up to its change. */
export interface CostChange {
  byTokens: Money;
  byPrice: Money;
}

/** The differences between two evals in the figures and settings of one model; `answer-pairs.ts` compares the texts. */
export interface FigureDrift {
  answered: Both<number>;
  latencyMs: Change<number>;
  cost: Change<Money>;
  inputTokens: Change<number>;
  outputTokens: Change<number>;
  checks: CheckChanges | null;
  vendorModel: Setting<string>;
  answeredBy: Setting<string[]>;
  applied: Setting<Record<string, number | string>>;
  prices: Setting<ResultDetails['rates']>;
  costChange: CostChange | null;
}

/** The calls of a model in both evals, in the order of their samples. */
export function callsOf(model: string, before: StoredEval, after: StoredEval): Calls {
  return bothOf({ before, after }, ({ results }) => results.filter((result) => result.model === model));
}

export function answeredCalls(calls: Calls): Calls {
  return bothOf(calls, (results) => results.filter(({ error }) => error === null));
}

/** Compares the figures of a model; `checks` are the names of the checks that both evals have. */
export function compareFigures(calls: Calls, checks: readonly string[]): FigureDrift {
  const answers = answeredCalls(calls);
  const leading = new Set(leadable([...calls.before, ...calls.after]));
  const written = bothOf(calls, (results) => results.filter((result) => leading.has(result)));
  return {
    answered: bothOf(answers, ({ length }) => length),
    latencyMs: numberChange(written, ({ latencyMs }) => latencyMs, median),
    cost: moneyChange(written),
    inputTokens: numberChange(written, ({ inputTokens }) => inputTokens, mean),
    outputTokens: numberChange(written, ({ outputTokens }) => outputTokens, mean),
    checks: checks.length === 0 ? null : checkChanges(answers, checks),
    ...settings(calls, answers),
    costChange: costChange(written),
  };
}

/** The names of the checks that both evals define alike. */
export function commonChecks(before: StoredEval, after: StoredEval): string[] {
  const earlier = new Map((before.record.checks ?? []).map((check) => [check.name, canonical(check)]));
  return (after.record.checks ?? [])
    .filter((check) => earlier.get(check.name) === canonical(check))
    .map(({ name }) => name);
}

/** The column keeps the order of members, and models follow that of a schema. */
function changedExtras(before: ExtraOptions, after: ExtraOptions): (keyof ExtraOptions)[] {
  const names = Object.keys({ ...before, ...after }) as (keyof ExtraOptions)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** The members of the request in which two evals differ. */
export function changedRequest(before: Eval, after: Eval): string[] {
  const members: Record<string, (record: Eval) => unknown> = {
    prompt: ({ prompt }) => prompt,
    input: ({ input }) => input,
    'options.temperature': ({ temperature }) => temperature,
    'options.max_tokens': ({ maxTokens }) => maxTokens,
    'options.samples': ({ samples }) => samples,
    checks: ({ checks }) => checks ?? [],
  };
  const changed = Object.entries(members)
    .filter(([, of]) => canonical(of(before)) !== canonical(of(after)))
    .map(([name]) => name);
  return [...changed, ...changedExtras(before.options ?? {}, after.options ?? {}).map((name) => `options.${name}`)];
}

function settings(
  calls: Calls,
  answers: Calls,
): Pick<FigureDrift, 'vendorModel' | 'answeredBy' | 'applied' | 'prices'> {
  const [before, after] = [first(calls.before), first(calls.after)];
  const answeredBy = setting(vendorNames(calls.before), vendorNames(calls.after));
  return {
    vendorModel: setting(before.vendorModel, after.vendorModel),
    // Nothing is known of a change where no answer of an eval names its model.
    answeredBy: {
      ...answeredBy,
      changed: answeredBy.changed && answeredBy.before.length > 0 && answeredBy.after.length > 0,
    },
    applied: setting(before.applied, after.applied),
    prices: setting(answers.before[0]?.details.rates ?? null, answers.after[0]?.details.rates ?? null),
  };
}

function vendorNames(results: readonly Result[]): string[] {
  return [...new Set(results.flatMap(({ details }) => details.answeredBy ?? []))].sort();
}

function first([result]: readonly Result[]): ResultDetails {
  if (result === undefined) throw new Error('Only models of both evals are compared.');
  return result.details;
}

function setting<T>(before: T, after: T): Setting<T> {
  return { before, after, changed: canonical(before) !== canonical(after) };
}

function numberChange(
  calls: Calls,
  figure: (result: Result) => number,
  of: (values: readonly number[]) => number,
): Change<number> {
  const figures = bothOf(calls, (results) => (results.length === 0 ? null : of(results.map(figure))));
  const { before, after } = figures;
  return {
    ...bothOf(figures, (value) => value && sixDigits(value)),
    change: before === null || after === null ? null : sixDigits(after - before),
  };
}

function moneyChange(calls: Calls): Change<Money> {
  const { before, after } = bothOf(calls, meanCost);
  return { before, after, change: before === null || after === null ? null : after.minus(before) };
}

function meanCost(results: readonly Result[]): Money | null {
  return results.length === 0 ? null : Money.sum(results.map(({ cost }) => cost)).dividedBy(results.length);
}

/**
 * The cost of the earlier tokens at the later prices separates the two reasons. The later prices are the rates of the
 * first answer, times the share of them that was charged.
 */
function costChange({ before, after }: Calls): CostChange | null {
  const [from, to, rates] = [meanCost(before), meanCost(after), after[0]?.details.rates];
  if (from === null || to === null || rates === undefined || rates === null) return null;
  const listed = (results: readonly Result[]) =>
    Money.sum(results.map((result) => costOf(tokensOf(result), priceOf(rates)).cost));
  const share = ratioOf(Money.sum(after.map(({ cost }) => cost)), listed(after));
  const between = listed(before).times(share).dividedBy(before.length);
  return { byTokens: to.minus(between), byPrice: between.minus(from) };
}

function checkChanges({ before, after }: Calls, checks: readonly string[]): CheckChanges {
  const changes: CheckChanges = { improved: [], regressed: [] };
  for (const name of checks) {
    const [from, to] = [passRate(before, name), passRate(after, name)];
    if (from === null || to === null || from === to) continue;
    changes[to > from ? 'improved' : 'regressed'].push(name);
  }
  return changes;
}

/** The share of the answers that passed a check, among those about which it could decide; null when there are none. */
function passRate(answers: readonly Result[], name: string): number | null {
  const decided = answers.flatMap(
    ({ checks }) => checks?.filter((verdict) => verdict.name === name && isDecided(verdict)) ?? [],
  );
  return decided.length === 0 ? null : decided.filter(({ outcome }) => outcome === 'pass').length / decided.length;
}

function isDecided({ outcome }: Verdict): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

/** As JSON with sorted members, because jsonb does not preserve their order. */
function canonical(value: unknown): string {
  return JSON.stringify(sortedJson(value));
}
