import { bradleyTerry, type Duel } from '../../statistics/bradley-terry';
import { clusteredMean, shareInterval, type Clusters } from '../../statistics/clustered';
import { mean } from '../../statistics/mean';
import { roundedInterval, sixDigits } from '../../statistics/rounding';
import type { ExperimentColumns, ModelColumns } from '../summary/summary-input';
import type { JudgedRateDto, ShareOfVerdictsDto } from './judge-summary.dto';
import { EXAM_ROWS, itemsOf, UNREADABLE, type JudgeSpec } from './judge-spec';

/**
 * The outcome of each item, row by row: from 0 to 1 for its first model. NaN is missing. A pair is won only in both
 * orders, and else is a tie.
 */
export function outcomesOf(spec: JudgeSpec, scores: Float64Array, rowCount: number): Float64Array {
  const at = (no: number) => {
    const score = scores[EXAM_ROWS + no] ?? NaN;
    return score === UNREADABLE ? NaN : score;
  };
  return Float64Array.from({ length: rowCount * itemsOf(spec).length }, (_, index) => {
    if (spec.kind === 'rubric') return at(index);
    const [once, again] = [at(2 * index), 1 - at(2 * index + 1)];
    return Number.isNaN(once + again) ? NaN : once === again ? once : 0.5;
  });
}

/** The outcomes of several judges together: their mean, and of passes the majority; an even split is undecided. */
export function panelOf(spec: JudgeSpec, judges: readonly { outcomes: Float64Array }[]): Float64Array {
  return (judges[0]?.outcomes ?? new Float64Array()).map((_, index) => {
    const given = judges.map(({ outcomes }) => outcomes[index] ?? NaN).filter((outcome) => !Number.isNaN(outcome));
    if (given.length === 0) return NaN;
    const share = mean(given);
    if (spec.scale !== 'pass_fail') return share;
    return share === 0.5 ? NaN : Math.round(share);
  });
}

/** The value of each model in each row: its outcome, or the mean of its pairs. */
export function valuesOf(spec: JudgeSpec, outcomes: Float64Array): Float64Array[] {
  const items = itemsOf(spec);
  return spec.judged.map((_name, model) =>
    new Float64Array(outcomes.length / items.length).map((_value, row) => {
      const own = items.flatMap(([first, second], item) => {
        const outcome = outcomes[row * items.length + item] ?? NaN;
        if (Number.isNaN(outcome) || (first !== model && second !== model)) return [];
        return [first === model ? outcome : 1 - outcome];
      });
      return own.length === 0 ? NaN : mean(own);
    }),
  );
}

/** The figures of the judged models, with the outcomes in place of their checks. */
export function judgedColumns(columns: ExperimentColumns, spec: JudgeSpec, outcomes: Float64Array): ExperimentColumns {
  const values = valuesOf(spec, outcomes);
  const missing = new Float64Array(columns.rowCount).fill(NaN);
  const isPassed = spec.scale === 'pass_fail';
  const models = columns.models.map((model, index): ModelColumns => {
    const own = values[index] ?? missing;
    const judged = own.filter((value) => !Number.isNaN(value)).length;
    const [passed, score] = isPassed ? [own, missing] : [missing, own];
    return {
      ...model,
      checks: [],
      rows: { ...model.rows, passed, score, passedPerCall: passed },
      sums: { ...model.sums, decided: isPassed ? judged : 0, answered: judged },
    };
  });
  return { ...columns, models, checkNames: [], samples: 1, duels: duelColumns(spec, outcomes) };
}

/** The two columns of every two models that were judged in a pair, or each alone, by their positions. */
export function duelColumns(spec: JudgeSpec, outcomes: Float64Array): NonNullable<ExperimentColumns['duels']> {
  const items = itemsOf(spec);
  const columns = items.map((_, item) => outcomes.filter((_outcome, index) => index % items.length === item));
  const duels = columns.flatMap((own, item): [string, [Float64Array, Float64Array]][] => {
    const [first, second] = items[item] ?? [0];
    if (second === undefined)
      return columns.slice(item + 1).map((other, after) => [`${item} ${item + 1 + after}`, [own, other]]);
    const other = own.map((outcome) => 1 - outcome);
    const direct: [string, [Float64Array, Float64Array]] =
      first < second ? [`${first} ${second}`, [own, other]] : [`${second} ${first}`, [other, own]];
    if (spec.baseline === null) return [direct];
    // Two models that only met the baseline: their leads over it, one against the other.
    const indirect = columns.slice(item + 1).map((next, after): [string, [Float64Array, Float64Array]] => {
      const lead = own.map((outcome, row) => outcome - (next[row] ?? NaN));
      return [`${first} ${items[item + 1 + after]?.[0] ?? 0}`, [lead, lead.map((ahead) => -ahead)]];
    });
    return [direct, ...indirect];
  });
  return new Map(duels);
}

/** The outcome of an item of a row. */
interface Placed {
  rowNo: number;
  itemNo: number;
  outcome: number;
}

/** The mean of outcomes from 0 to 1, those of a row as one cluster; null without one. NaN is missing. */
export function shareOf(
  placed: readonly Pick<Placed, 'rowNo' | 'outcome'>[],
  { of, count }: Clusters,
): ShareOfVerdictsDto | null {
  const found = clusteredMean(
    placed.map(({ outcome }) => outcome),
    { of: placed.map(({ rowNo }) => of[rowNo] ?? 0), count },
  );
  return found && { rate: sixDigits(found.mean), ci: roundedInterval(shareInterval(found)) };
}

/** The rate of each model by some outcomes: its mean, or of pairs its expected win rate; best first. */
export function ratesOf(spec: JudgeSpec, placed: readonly Placed[], clusters: Clusters): JudgedRateDto[] {
  const items = itemsOf(spec);
  const duels = placed.map(({ rowNo, itemNo, outcome: score }): Duel => {
    const [first = 0, second = 0] = items[itemNo] ?? [];
    return { first, second, score, cluster: clusters.of[rowNo] ?? 0 };
  });
  const winRates = spec.kind === 'pairwise' ? (bradleyTerry(duels, spec.judged.length)?.winRates ?? []) : undefined;
  return spec.judged
    .flatMap((model, index) => {
      const won = winRates?.[index];
      const share = won
        ? { rate: sixDigits(won.rate), ci: roundedInterval(won.interval) }
        : shareOf(winRates ? [] : placed.filter(({ itemNo }) => itemNo === index), clusters);
      return share === null ? [] : [{ model, ...share }];
    })
    .sort((left, right) => right.rate - left.rate);
}

/** Outcomes with their places, without missing ones. */
export function listed(spec: JudgeSpec, outcomes: Float64Array): Placed[] {
  const width = itemsOf(spec).length;
  return Array.from(outcomes, (outcome, index) => ({
    rowNo: Math.floor(index / width),
    itemNo: index % width,
    outcome,
  })).filter(({ outcome }) => !Number.isNaN(outcome));
}
