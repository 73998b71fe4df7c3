import { times } from '../../../../test/support/experiment-rows';
import {
  FIRST,
  judgmentTask,
  LAST,
  LOST,
  TIED,
  WON,
  type GivenJudge,
  type GivenTask,
} from '../../../../test/support/judgment-task';
import { examineJudge } from './examination';
import type { JudgeExaminationDto } from './judge-summary.dto';
import { UNREADABLE } from './judge-spec';
import { outcomesOf } from './outcomes';

/** The examinations of judges; `people` are labels by the index of an item. */
function examined(given: GivenTask, people = new Map<number, number>()): JudgeExaminationDto[] {
  const task = judgmentTask(given);
  const judges = task.judges.map((judge) => ({ ...judge, outcomes: outcomesOf(task.spec, judge.scores, given.rows) }));
  return judges.map((judge) => examineJudge(judge, judges, task, people));
}

const ofOne = (judge: GivenJudge, given: Partial<GivenTask> = {}, people?: Map<number, number>) =>
  examined({ rows: judge.items.length, judges: [judge], ...given }, people)[0];
const ofRubric = (items: readonly number[], given: Partial<GivenTask> = {}, people?: Map<number, number>) =>
  ofOne({ items }, { rows: items.length / 2, ...given, spec: { kind: 'rubric', ...given.spec } }, people);
const near = (value: number): number => expect.closeTo(value, 5) as number;

/** Of 8 pairs, a wins 4 and b wins 1, 2 go to answer 1 twice, and 1 is a tie. */
const EIGHT = [...times(4, () => WON), LOST, FIRST, FIRST, TIED];

describe('The examination of a judge', () => {
  // By hand: 6 of 8; 9 of 14 in 7 rows with deviations of -2/7 and 5/7; 2.3646 and 2.4469 of Student's t.
  test('counts verdicts, contradictions and the share of answer 1', () => {
    expect(ofOne({ items: EIGHT })).toMatchObject({
      model: 'judge',
      verdicts: 24,
      unreadable: 0,
      order_consistency: { rate: 0.75, ci: [near(0.362998), 1] },
      flipped: 2,
      first_won: { rate: 0.642857, ci: [near(0.417218), near(0.868496)] },
      position_biased: false,
      rates: [
        { model: 'a', rate: near(6 / 9) },
        { model: 'b', rate: near(3 / 9) },
      ],
    });
  });

  test('takes what is unreadable for missing, and a verdict of one order for no pair', () => {
    const found = ofOne({ items: [WON, [UNREADABLE, 0], [1, NaN], [UNREADABLE, UNREADABLE]] });
    expect(found).toMatchObject({ verdicts: 12, unreadable: 3, order_consistency: { rate: 1 }, flipped: 0 });
    // 1 and 0 of the first row, 0 and 1 of the others.
    expect(found?.first_won?.rate).toBe(0.5);
    // A half win is no agreement of both orders, and no contradiction either.
    expect(ofOne({ items: [[1, 0.5], WON] })).toMatchObject({ order_consistency: { rate: 0.5 }, flipped: 0 });
  });

  // By hand: 24 of 32 in 16 rows with deviations of 0.5, and 2.1314 of Student's t.
  test('finds a judge biased whose decided verdicts go to one place', () => {
    const half = (items: number[]) => ofOne({ items: [...times(8, () => WON), ...times(8, () => items)] });
    expect(half(FIRST)).toMatchObject({
      first_won: { rate: 0.75, ci: [near(0.612415), near(0.887585)] },
      position_biased: true,
    });
    expect(half(LAST)).toMatchObject({ first_won: { rate: 0.25 }, position_biased: true });
    expect(half(TIED)).toMatchObject({ first_won: { rate: 0.5 }, position_biased: false });
    expect(ofOne({ items: times(9, () => TIED) })).toMatchObject({ first_won: null, position_biased: false });
  });

  test('of a rubric has neither orders nor places', () => {
    expect(ofRubric([1, 0, 1, 1])).toMatchObject({
      verdicts: 9,
      order_consistency: null,
      flipped: 0,
      first_won: null,
      position_biased: false,
    });
  });

  test('has the share of decided pairs that the longer answer won', () => {
    const b = times(8, () => 15);
    const lengths = (a: number[]) => ofOne({ items: EIGHT }, { lengths: [a, b] })?.longer_won;
    // Rows 1 and 2 for the longer one, 3 against it, and 5 for b, the longer one; rows 6 to 8 are ties.
    expect(lengths([20, 20, 10, 15, 10, 90, 90, 90])).toEqual({ rate: 0.75, ci: [0, 1] });
    expect(lengths([20, 20, 10, 20, 10, 90, 90, 90])).toEqual({ rate: 0.8, ci: [near(0.244711), 1] });
    expect(lengths([20, 20, NaN, 20, 10, 90, 90, 90])?.rate).toBe(1);
    expect(lengths(b)).toBeNull();
  });

  test('has of a rubric the share of unequal answers to a row of which the longer one is better', () => {
    const items = [1, 0, 0, 1, 1, 1, 1, 0];
    const longer = (a: number[]) => ofRubric(items, { lengths: [a, [5, 5, 5, 5]] })?.longer_won?.rate;
    expect([longer([9, 9, 9, 9]), longer([9, 1, 9, 9]), longer([1, 9, 9, 5])]).toEqual([0.666667, 1, 0]);
    // Marks 5 and 4: the better one of three answers has 2 pairs, and the others have 1.
    const three = ofRubric([1, 0.75, 0.5], {
      rows: 1,
      spec: { judged: ['a', 'b', 'c'], scale: 5 },
      lengths: [[9], [1], [5]],
    });
    expect(three?.longer_won?.rate).toBe(0.666667);
  });

  test.each([
    ['rejects all', [0, 1, 0, 1, 0], 5, 0],
    ['prefers one that is answer 1', [1, 1, 0, 1, 0], 5, 1],
    ['prefers one that is answer 2', [0, 0, 0, 1, 0], 5, 1],
    ['calls one a tie', [0, 1, 0.5, 1, 0], 5, 1],
    ['always takes answer 1', [1, 1, 1, 1, 1], 5, 3],
    ['is unreadable on one and silent on another', [UNREADABLE, 1, NaN, 1, 1], 3, 1],
  ])('counts the decoys of a judge of pairs that %s', (_, decoys, count, passed) => {
    const found = ofOne({ items: EIGHT, exam: [...decoys, 0.5, 0.5, 0.5] });
    expect(found).toMatchObject({ decoys: count, decoys_passed: passed, gullible: passed > 0 });
  });

  test('lets a rubric give decoys at most the second of five steps', () => {
    const exam = [0, 0.25, 0.5, 1, 0, NaN, NaN, NaN];
    const found = (scale: 5 | 'pass_fail') =>
      ofOne({ items: [1, 1], exam }, { rows: 1, spec: { kind: 'rubric', scale } });
    expect(found(5)).toMatchObject({ decoys: 5, decoys_passed: 2, gullible: true });
    expect(ofRubric([1, 1])).toMatchObject({ decoys: 5, decoys_passed: 0, gullible: false });
    expect(ofOne({ items: [1, 1], exam: [0, 0, 0, 1, 0] }, { rows: 1, spec: { kind: 'rubric' } })?.decoys_passed).toBe(
      1,
    );
  });

  test('asks if an answer ties with itself, and if a rubric says the same again', () => {
    const pairs = (selves: number[]) => ofOne({ items: EIGHT, exam: [0, 1, 0, 1, 0, ...selves] });
    expect(pairs([0.5, 0.5, 0.5])).toMatchObject({ self_pairs: 3, self_ties: 3 });
    expect(pairs([0.5, 1, 0])).toMatchObject({ self_pairs: 3, self_ties: 1 });
    expect(pairs([0.5, UNREADABLE, NaN])).toMatchObject({ self_pairs: 1, self_ties: 1 });
    const items = [1, 0, 0, 1, UNREADABLE, 1, 1, 1];
    const rubric = (selves: number[]) =>
      ofOne({ items, exam: [0, 0, 0, 0, 0, ...selves] }, { rows: 4, spec: { kind: 'rubric' } });
    expect(rubric([1, 0, 1])).toMatchObject({ self_pairs: 2, self_ties: 2 });
    expect(rubric([0, 0, 1])).toMatchObject({ self_pairs: 2, self_ties: 1 });
    // With two rows, the third question is about the first one.
    const few = ofOne(
      { items: items.slice(0, 4), exam: [0, 0, 0, 0, 0, 1, 1, 1] },
      { rows: 2, spec: { kind: 'rubric' } },
    );
    expect(few).toMatchObject({ self_pairs: 3, self_ties: 2 });
  });
});

describe('A judge among others', () => {
  const FOUR = { rows: 4, spec: { kind: 'rubric' }, vendors: ['x', 'z'] } as const;
  const judgesOf = (...vendors: string[]): GivenJudge[] =>
    vendors.map((vendor, index) => ({
      ...{ model: `judge ${index}`, vendor },
      items: index === 0 ? [1, 0, 1, 1, 1, 0, 0, 1] : [1, 0, 0, 1, 0, 0, 0, 0],
    }));

  // By hand: differences of 0, 1, 1 and 0 on a, and 3.182 of Student's t.
  test('of the vendor of a judged model has an advantage over the verdicts of other vendors', () => {
    const [own, other] = examined({ ...FOUR, judges: judgesOf('x', 'y') });
    expect(own).toMatchObject({
      own_vendor: ['a'],
      own_vendor_advantage: { difference: 0.5, ci: [near(-0.418693), 1] },
    });
    expect(other).toMatchObject({ own_vendor: [], own_vendor_advantage: null });
  });

  test('has no advantage that is known without a judge of another vendor, or without a model of its vendor', () => {
    for (const vendors of [['x'], ['x', 'x'], ['y', 'v']])
      expect(examined({ ...FOUR, judges: judgesOf(...vendors) }).map((one) => one.own_vendor_advantage)).toEqual(
        vendors.map(() => null),
      );
    // The mean of two other judges: 1, 0, 0 and 0.
    const [own] = examined({ ...FOUR, judges: judgesOf('x', 'y', 'v') });
    expect(own?.own_vendor_advantage?.difference).toBe(0.5);
  });

  // By hand: 5 of 8 are equal, and 28 of 64 by chance.
  test('agrees with them by the mean of kappa', () => {
    const judges: GivenJudge[] = [{ items: [1, 0, 1, 1, 1, 0, 0, 1] }, { items: [1, 0, 0, 1, 0, 0, 0, 0] }];
    const kappas = (of: GivenJudge[]) => examined({ ...FOUR, judges: of }).map((one) => one.agreement.with_judges);
    expect(kappas(judges)).toEqual([0.333333, 0.333333]);
    expect(kappas(judges.slice(1))).toEqual([null]);
    // With a copy of the first: (1/3 + 1) / 2, and 1/3.
    expect(kappas([...judges, { items: [1, 0, 1, 1, 1, 0, 0, 1] }])).toEqual([0.666667, 0.333333, 0.666667]);
    // Only the second and the fourth verdict have one beside them.
    expect(kappas([{ items: [UNREADABLE, 0, NaN, 1, UNREADABLE, 0, 0, NaN] }, { items: [1, 0, 0, 1] }])).toEqual([
      1, 1,
    ]);
  });
});

describe('A judge and people', () => {
  // By hand: 6 of 8 are equal, and 32 of 64 by chance; scipy.stats.binomtest for the interval
  test('agree by kappa and by the share of equal verdicts on the labeled items', () => {
    const items = [1, 1, 1, 1, 0, 0, 0, 0, 1, 1];
    const labels = new Map([1, 1, 1, 0, 0, 0, 0, 1].map((label, index) => [index, label]));
    expect(ofRubric(items, {}, labels)?.agreement.with_people).toEqual({
      kappa: 0.5,
      accuracy: 0.75,
      ci: [near(0.409276), near(0.928523)],
      labels: 8,
    });
    // People who are split on an answer say nothing, and neither does a missing verdict.
    const split = new Map([...labels, [8, 0.5], [9, 2 / 3]]);
    expect(ofRubric([...items.slice(0, 9), UNREADABLE], {}, split)?.agreement.with_people?.labels).toBe(8);
    expect(ofRubric(items, {}, split)?.agreement.with_people).toMatchObject({ labels: 9, accuracy: 0.777778 });
  });

  test('have ties of pairs in common, and take steps 4 and 5 for good', () => {
    const labels = new Map([[0, 1], [1, 0.5], [2, 0], [3, 0.75]]); // prettier-ignore
    const pairs = ofOne({ items: [WON, FIRST, WON, TIED] }, {}, labels)?.agreement.with_people;
    // 2 of 4 are equal, and (2 × 2 + 1 × 2 + 1 × 0) of 16 by chance.
    expect(pairs).toMatchObject({ accuracy: 0.5, kappa: near((8 - 6) / (16 - 6)), labels: 4 });
    const five = ofRubric([0.75, 0.5, 1, 0], { spec: { scale: 5 } }, new Map([[0, 1], [1, 1], [2, 1], [3, 0]])); // prettier-ignore
    expect(five?.agreement.with_people).toMatchObject({ accuracy: 0.75, labels: 4 });
  });

  test('have no agreement without votes, and no kappa where chance alone agrees', () => {
    expect(ofRubric([1, 1])?.agreement).toEqual({ with_judges: null, with_people: null });
    const alike = new Map(times(2, (index) => [index, 1]));
    expect(ofRubric([1, 1], {}, alike)?.agreement.with_people).toMatchObject({ kappa: null, accuracy: 1 });
  });
});
