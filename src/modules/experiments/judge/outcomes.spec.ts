import {
  FIRST,
  judgeSpec,
  judgmentTask,
  LAST,
  LOST,
  scoresOf,
  TIED,
  WON,
} from '../../../../test/support/judgment-task';
import { UNREADABLE } from './judge-spec';
import { duelColumns, judgedColumns, listed, outcomesOf, panelOf, ratesOf, valuesOf } from './outcomes';

const THREE = judgeSpec({ judged: ['a', 'b', 'c'], rows: 2 });
const RUBRIC = judgeSpec({ kind: 'rubric', rows: 2 });
const FIVE = judgeSpec({ kind: 'rubric', scale: 5, rows: 2 });
const arrays = (columns: readonly Float64Array[]) => columns.map((column) => [...column]);
const own = (count: number) => ({ of: Array.from({ length: count }, (_, row) => row), count });

/** Two rows of a against b, a against c, and b against c. */
const ITEMS = [WON, FIRST, LOST, TIED, [1, 0.5], [UNREADABLE, 0]];
const OUTCOMES = Float64Array.of(1, 0.5, 0, 0.5, 0.5, NaN);

describe('The outcomes of a judge', () => {
  test('are wins in both orders, and else ties; what is unreadable or absent is missing', () => {
    expect(outcomesOf(THREE, scoresOf({ items: ITEMS }), 2)).toEqual(OUTCOMES);
    const more = [LAST, [0, 0.5], [0.5, 0], [1, UNREADABLE], [NaN, 0], [0]];
    expect([...outcomesOf(THREE, scoresOf({ items: more }), 2)]).toEqual([0.5, 0.5, 0.5, NaN, NaN, NaN]);
    expect([...outcomesOf(RUBRIC, scoresOf({ items: [1, 0, UNREADABLE] }), 2)]).toEqual([1, 0, NaN, NaN]);
  });

  test('of a panel are the majority of passes, undecided where it is split', () => {
    const [one, two, three] = [[1, 1, 0, NaN], [1, 0, 0, NaN], [0, NaN, 1, NaN]].map((row) => Float64Array.from(row)); // prettier-ignore
    const panels = [[one], [one, two], [one, two, three]].map((judges) => judges.flatMap((judge) => judge ?? []));
    expect(
      panels.map((judges) => [
        ...panelOf(
          RUBRIC,
          judges.map((outcomes) => ({ outcomes })),
        ),
      ]),
    ).toEqual([
      [1, 1, 0, NaN],
      [1, NaN, 0, NaN],
      [1, NaN, 0, NaN],
    ]);
  });

  test('of a panel are the mean of marks and of pairs', () => {
    const judges = [Float64Array.of(1, 0.5, 0.25, NaN), Float64Array.of(0, 1, NaN, NaN)];
    for (const spec of [FIVE, THREE])
      expect([
        ...panelOf(
          spec,
          judges.map((outcomes) => ({ outcomes })),
        ),
      ]).toEqual([0.5, 0.75, 0.25, NaN]);
  });

  test('give each model the mean of its pairs in a row', () => {
    expect(arrays(valuesOf(THREE, OUTCOMES))).toEqual([
      [0.75, 0.5],
      [0, 0.5],
      [0.75, 0.5],
    ]);
    expect(arrays(valuesOf(RUBRIC, Float64Array.of(1, 0, NaN, 1)))).toEqual([
      [1, NaN],
      [0, 1],
    ]);
    const baseline = judgeSpec({ judged: ['a', 'b', 'c'], baseline: 'a', rows: 1 });
    expect(arrays(valuesOf(baseline, Float64Array.of(1, 0.5)))).toEqual([[0.25], [1], [0.5]]);
  });

  test('are two columns of each pair, in the order of the models', () => {
    expect([...duelColumns(THREE, OUTCOMES)].map(([name, columns]) => [name, ...arrays(columns)])).toEqual([
      ['0 1', [1, 0.5], [0, 0.5]],
      ['0 2', [0.5, 0.5], [0.5, 0.5]],
      ['1 2', [0, NaN], [1, NaN]],
    ]);
    const baseline = judgeSpec({ judged: ['a', 'b', 'c'], baseline: 'a', rows: 1 });
    const duels = [...duelColumns(baseline, Float64Array.of(1, 0.5))];
    expect(duels.map(([name, columns]) => [name, ...arrays(columns)])).toEqual([
      ['0 1', [0], [1]],
      // The leads over the baseline, so that all differences are wins minus losses.
      ['1 2', [0.5], [-0.5]],
      ['0 2', [0.5], [0.5]],
    ]);
    expect(arrays(duelColumns(RUBRIC, Float64Array.of(1, 0, NaN, 1)).get('0 1') ?? [])).toEqual([
      [1, NaN],
      [0, 1],
    ]);
  });

  test('take the place of checks in the figures: passes of a rubric, else scores', () => {
    const outcomes = Float64Array.of(1, 0, NaN, 1);
    const { columns } = judgmentTask({ rows: 2, judges: [], spec: { kind: 'rubric' } });
    const [passed, marked] = [RUBRIC, FIVE].map((spec) => judgedColumns({ ...columns, samples: 3 }, spec, outcomes));
    expect(passed?.samples).toBe(1);
    expect(passed?.models.map(({ rows }) => [...rows.passed, ...rows.passedPerCall, ...rows.score])).toEqual([
      [1, NaN, 1, NaN, NaN, NaN],
      [0, 1, 0, 1, NaN, NaN],
    ]);
    expect(passed?.models.map(({ sums }) => [sums.decided, sums.answered])).toEqual([[1, 1], [2, 2]]); // prettier-ignore
    expect(marked?.models.map(({ rows }) => [...rows.passed, ...rows.score])).toEqual([
      [NaN, NaN, 1, NaN],
      [NaN, NaN, 0, 1],
    ]);
    expect(marked?.models.map(({ sums }) => [sums.decided, sums.answered])).toEqual([[0, 1], [0, 2]]); // prettier-ignore
  });

  test('are listed with their places, without missing ones', () => {
    expect(listed(THREE, OUTCOMES).map(({ rowNo, itemNo, outcome }) => [rowNo, itemNo, outcome])).toEqual([
      [0, 0, 1],
      [0, 1, 0.5],
      [0, 2, 0],
      [1, 0, 0.5],
      [1, 1, 0.5],
    ]);
  });
});

describe('The rates of judged models', () => {
  // By hand: 3.5 of 5 with the pseudo-tie, effects of 0.06 and -0.14, and 3.182 of Student's t.
  test('of pairs are expected win rates with an interval over rows', () => {
    const spec = judgeSpec({ judged: ['b', 'a'] });
    expect(ratesOf(spec, listed(spec, Float64Array.of(0, 0, 1, 0)), own(4))).toEqual([
      { model: 'a', rate: 0.7, ci: [expect.closeTo(0.05928, 5), 1] },
      { model: 'b', rate: 0.3, ci: [0, expect.closeTo(0.94072, 5)] },
    ]);
    expect(ratesOf(spec, [], own(4))).toEqual([]);
    // Nothing connects c with the others.
    expect(ratesOf(THREE, [{ rowNo: 0, itemNo: 0, outcome: 1 }], own(1))).toEqual([]);
  });

  // By hand: deviations of 0.25 and -0.75, and 2.3646 of Student's t.
  test('of a rubric are means with an interval over rows, best first', () => {
    const outcomes = Float64Array.from([1, 1, 1, 0, 1, 1, 1, 0].flatMap((pass) => [0.5, pass]));
    expect(ratesOf(RUBRIC, listed(RUBRIC, outcomes), own(8))).toEqual([
      { model: 'b', rate: 0.75, ci: [expect.closeTo(0.362998, 6), 1] },
      { model: 'a', rate: 0.5, ci: [expect.closeTo(0.215216, 6), expect.closeTo(0.784784, 6)] },
    ]);
    const halves = outcomes.map((value, index) => (index % 2 === 0 ? NaN : value));
    // Four clusters of two rows: deviations of 0.5 and -0.5.
    const pairs = { of: [0, 0, 1, 1, 2, 2, 3, 3], count: 4 };
    expect(ratesOf(RUBRIC, listed(RUBRIC, halves), pairs)).toEqual([
      { model: 'b', rate: 0.75, ci: [expect.closeTo(0.290654, 5), 1] },
    ]);
  });
});
