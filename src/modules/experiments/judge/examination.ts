import { clusteredMean, differenceInterval } from '../../statistics/clustered';
import { cohensKappa } from '../../statistics/kappa';
import { wilson } from '../../statistics/intervals';
import { mean } from '../../statistics/mean';
import { roundedInterval, sixDigits } from '../../statistics/rounding';
import type { AgreementWithPeopleDto, JudgeDifferenceDto, JudgeExaminationDto } from './judge-summary.dto';
import { DECOYS, EXAM_ROWS, itemsOf, UNREADABLE, type JudgeSpec } from './judge-spec';
import type { JudgmentTask, JudgeScores } from './judgment-task';
import { duelColumns, listed, ratesOf, shareOf, valuesOf } from './outcomes';

/** A judge with the outcomes of its verdicts. */
export interface Examined extends JudgeScores {
  outcomes: Float64Array;
}

/** A smaller preference for a position changes too little to discard a judge. */
const MIN_BIAS = 0.05;
/** From this mark on, an answer counts as good where people say yes or no. */
const GOOD = 0.75;

/** Examines one of the judges. `people` are the labels of items by their index, from 0 to 1. */
export function examineJudge(
  judge: Examined,
  judges: readonly Examined[],
  task: JudgmentTask,
  people: ReadonlyMap<number, number>,
): JudgeExaminationDto {
  const { spec, vendors } = task;
  const { model, scores, outcomes } = judge;
  const first = firstWon(task, scores);
  const [low = 0, high = 1] = first?.ci ?? [];
  const others = judges.filter((one) => one !== judge);
  const kappas = others.flatMap((other) => cohensKappa(bothOf(outcomes, other.outcomes)) ?? []);
  return {
    model,
    verdicts: scores.filter((score) => score >= 0).length,
    unreadable: scores.filter((score) => score === UNREADABLE).length,
    ...ordersOf(task, scores),
    first_won: first,
    position_biased: (low > 0.5 || high < 0.5) && Math.abs((first?.rate ?? 0.5) - 0.5) >= MIN_BIAS,
    longer_won: longerWon(task, outcomes),
    ...examinationOf(spec, scores),
    own_vendor: spec.judged.filter((_, index) => vendors[index] === judge.vendor),
    own_vendor_advantage: ownVendorAdvantage(judge, others, task),
    agreement: {
      with_judges: kappas.length === 0 ? null : sixDigits(mean(kappas)),
      with_people: agreementWithPeople(spec, outcomes, people),
    },
    rates: ratesOf(spec, listed(spec, outcomes), task.columns.clusters),
  };
}

/** Of pairs, the share of decided single verdicts that went to answer 1. */
function firstWon({ spec, columns }: JudgmentTask, scores: Float64Array): JudgeExaminationDto['first_won'] {
  if (spec.kind === 'rubric') return null;
  const perRow = 2 * itemsOf(spec).length;
  const verdicts = Array.from(scores.subarray(EXAM_ROWS), (outcome, no) => ({
    outcome,
    rowNo: Math.floor(no / perRow),
  }));
  return shareOf(
    verdicts.filter(({ outcome }) => outcome === 0 || outcome === 1),
    columns.clusters,
  );
}

/** How often both orders of a pair say the same. */
function ordersOf(
  { spec, columns: { clusters, rowCount } }: JudgmentTask,
  scores: Float64Array,
): Pick<JudgeExaminationDto, 'order_consistency' | 'flipped'> {
  const width = itemsOf(spec).length;
  const pairs = Array.from({ length: spec.kind === 'rubric' ? 0 : rowCount * width }, (_, index) => {
    const [once, again] = [scores[EXAM_ROWS + 2 * index] ?? NaN, scores[EXAM_ROWS + 2 * index + 1] ?? NaN];
    return { rowNo: Math.floor(index / width), gap: once >= 0 && again >= 0 ? Math.abs(once - (1 - again)) : NaN };
  }).filter(({ gap }) => !Number.isNaN(gap));
  return {
    order_consistency: shareOf(
      pairs.map(({ rowNo, gap }) => ({ rowNo, outcome: Number(gap === 0) })),
      clusters,
    ),
    flipped: pairs.filter(({ gap }) => gap === 1).length,
  };
}

/** Where one of two answers to a row is preferred, the share in which it is the longer one. */
function longerWon(
  { spec, lengths, columns }: JudgmentTask,
  outcomes: Float64Array,
): JudgeExaminationDto['longer_won'] {
  const found: { rowNo: number; outcome: number }[] = [];
  for (const [names, [one, other]] of duelColumns(spec, outcomes)) {
    const [left, right] = names.split(' ').map((model) => lengths[Number(model)]);
    for (const [rowNo, value] of one.entries()) {
      const longer = (left?.[rowNo] ?? NaN) - (right?.[rowNo] ?? NaN);
      const side = Math.sign((value - (other[rowNo] ?? NaN)) * longer);
      if (Math.abs(side) === 1) found.push({ rowNo, outcome: Number(side > 0) });
    }
  }
  return shareOf(found, columns.clusters);
}

/** Decoys must lose or fail; an answer beside itself must be a tie, and of a rubric get the verdict that it has. */
function examinationOf(
  spec: JudgeSpec,
  scores: Float64Array,
): Pick<JudgeExaminationDto, 'decoys' | 'decoys_passed' | 'gullible' | 'self_pairs' | 'self_ties'> {
  const given = (exam: number) => scores[exam] ?? NaN;
  const isPair = spec.kind === 'pairwise';
  // A decoy is answer 1 unless the place is swapped, in odd ones.
  const rejected = (score: number, exam: number) =>
    isPair ? score === exam % 2 : score <= (spec.scale === 5 ? 0.25 : 0);
  const decoys = [...Array(DECOYS).keys()].filter((exam) => given(exam) >= 0);
  const passed = decoys.filter((exam) => !rejected(given(exam), exam)).length;
  const width = itemsOf(spec).length;
  const before = (exam: number) => (isPair ? 0.5 : (scores[EXAM_ROWS + ((exam - DECOYS) % spec.rows) * width] ?? NaN));
  const selves = [...Array(EXAM_ROWS).keys()].slice(DECOYS).filter((exam) => given(exam) >= 0 && before(exam) >= 0);
  return {
    decoys: decoys.length,
    decoys_passed: passed,
    gullible: passed > 0,
    self_pairs: selves.length,
    self_ties: selves.filter((exam) => given(exam) === before(exam)).length,
  };
}

/** How much better a judge rates models of its vendor than judges of other vendors do; null without both. */
function ownVendorAdvantage(
  { vendor, outcomes }: Examined,
  others: readonly Examined[],
  { spec, vendors, columns: { rowCount, clusters } }: JudgmentTask,
): JudgeDifferenceDto | null {
  const own = spec.judged.flatMap((_, index) => (vendors[index] === vendor ? [index] : []));
  const neutral = others.filter((other) => other.vendor !== vendor);
  const ownValues = valuesOf(spec, outcomes);
  const otherValues = neutral.map((other) => valuesOf(spec, other.outcomes));
  const differences = Float64Array.from({ length: own.length * neutral.length === 0 ? 0 : rowCount }, (_, row) =>
    mean(
      own.map(
        (index) => (ownValues[index]?.[row] ?? NaN) - mean(otherValues.map((values) => values[index]?.[row] ?? NaN)),
      ),
    ),
  );
  const found = clusteredMean(differences, clusters);
  return found && { difference: sixDigits(found.mean), ci: roundedInterval(differenceInterval(found)) };
}

function agreementWithPeople(
  spec: JudgeSpec,
  outcomes: Float64Array,
  people: ReadonlyMap<number, number>,
): AgreementWithPeopleDto | null {
  const isPair = spec.kind === 'pairwise';
  // Where people are split on one answer, they say nothing that a judge could agree with.
  const both = [...people].flatMap(([index, label]): [number, number][] => {
    const outcome = outcomes[index] ?? NaN;
    if (Number.isNaN(outcome) || (!isPair && label === 0.5)) return [];
    return [[Math.sign(label - 0.5), isPair ? Math.sign(outcome - 0.5) : outcome >= GOOD ? 1 : -1]];
  });
  const equal = both.filter(([label, verdict]) => label === verdict).length;
  const kappa = cohensKappa(both);
  return both.length === 0
    ? null
    : {
        kappa: kappa === null ? null : sixDigits(kappa),
        accuracy: sixDigits(equal / both.length),
        ci: roundedInterval(wilson(equal, both.length)),
        labels: both.length,
      };
}

function bothOf(left: Float64Array, right: Float64Array): [number, number][] {
  return Array.from(left, (value, index): [number, number] => [value, right[index] ?? NaN]).filter(
    ([one, other]) => !Number.isNaN(one + other),
  );
}
