import { Z } from './distributions';
import { wilson, type Interval } from './intervals';
import { sum } from './mean';

/** The verdicts of people and of the judge on an item drawn at random. */
export interface Label {
  people: number;
  judge: number;
}

/** An estimate with its 95 % interval. `asIfLabels` labels alone would give one as narrow. */
export interface CorrectedRate {
  rate: number;
  interval: Interval;
  asIfLabels: number;
}

/** A variance below this is rounding. */
const MIN_VARIANCE = 1e-20;
const PSEUDO_LABELS = [0, 1].flatMap((people) => [0, 1].map((judge): Label => ({ people, judge })));

/**
 * The rate of people over all items; a judge's verdicts on `others` make it more precise than labels alone. Values are
 * from 0 to 1. It is the prediction-powered estimate (Angelopoulos et al. 2023) with pseudo-labels of a weight of 0.5.
 * Null below 20 labels.
 */
export function correctedRate(labels: readonly Label[], others: readonly number[]): CorrectedRate | null {
  if (labels.length < 20) return null;
  const [n, m, added] = [labels.length, others.length, PSEUDO_LABELS.length / 2];
  const mean = (value: (label: Label) => number) =>
    (sum(labels.map(value)) + sum(PSEUDO_LABELS.map(value)) / 2) / (n + added);
  const [people, judge] = [mean((label) => label.people), mean((label) => label.judge)];
  const ofPeople = mean((label) => (label.people - people) ** 2);
  const ofJudge = mean((label) => (label.judge - judge) ** 2);
  const common = mean((label) => (label.people - people) * (label.judge - judge));
  // Without others, or where the judge always says the same, the labels alone count.
  const lambda = m > 0 && ofJudge > MIN_VARIANCE ? Math.min(1, Math.max(0, common / ((1 + n / m) * ofJudge))) : 0;
  const judgeOfOthers = (sum(others) + added / 2) / (m + added);
  const left = Math.max(0, ofPeople - 2 * lambda * common + lambda ** 2 * ofJudge);
  // Sums of squares over n + 2: in simulation, n + 1 covers 0.2 points more often and is up to 5 % wider.
  const variance = left / (n + added) + (lambda > 0 ? (lambda ** 2 * ofJudge) / m : 0);
  const half = variance > MIN_VARIANCE ? Z * Math.sqrt(variance) : (wilson(0, n)?.[1] ?? 1);
  const rate = Math.min(1, Math.max(0, people + (lambda > 0 ? lambda * (judgeOfOthers - judge) : 0)));
  return {
    rate,
    interval: [Math.max(0, rate - half), Math.min(1, rate + half)],
    // The spread of the labels rather than rate × (1 - rate): it holds for scores, and at rates of 0 and 1.
    asIfLabels: variance > MIN_VARIANCE ? Math.max(n, Math.round(ofPeople / variance - added)) : n,
  };
}
