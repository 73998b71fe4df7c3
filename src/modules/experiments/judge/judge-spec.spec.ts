import { judgeSpec } from '../../../../test/support/judgment-task';
import { EXAM_ROWS, itemsOf, judgedRowsBegun, judgeRowCount, placeOf, type JudgeSpec } from './judge-spec';

const PAIRS = judgeSpec({ judged: ['a', 'b', 'c'], rows: 4 });
const BASELINE = judgeSpec({ judged: ['a', 'b', 'c'], baseline: 'b', rows: 4 });
const RUBRIC = judgeSpec({ judged: ['a', 'b', 'c'], kind: 'rubric', rows: 4 });
const placesOf = (spec: JudgeSpec) => Array.from({ length: judgeRowCount(spec) }, (_, no) => placeOf(spec, no));

describe('The rows of an experiment of judges', () => {
  test('are about every pair, every model beside the baseline, or every answer', () => {
    const pairs = [[0, 1], [0, 2], [1, 2]]; // prettier-ignore
    expect(itemsOf(PAIRS)).toEqual(pairs);
    expect(itemsOf(BASELINE)).toEqual([[0, 1], [2, 1]]); // prettier-ignore
    expect(itemsOf(RUBRIC)).toEqual([[0], [1], [2]]);
    expect([PAIRS, BASELINE, RUBRIC].map(judgeRowCount)).toEqual([8 + 24, 8 + 16, 8 + 12]);
  });

  test.each([
    ['pairs', { ...PAIRS, rows: 10_000 }, 60_000],
    ['pairs with a baseline', { ...BASELINE, rows: 10_000 }, 40_000],
    ['a rubric', { ...RUBRIC, rows: 10_000 }, 30_000],
    ['one row of one answer', { ...RUBRIC, judged: ['a'], rows: 1 }, 1],
  ])('of %s have each item of each row in each order once, after the examination', (_, spec, count) => {
    const places = placesOf(spec);
    expect(places.map(({ exam }) => exam)).toEqual(places.map((_place, no) => (no < 8 ? no : undefined)));
    const items = places.slice(EXAM_ROWS);
    expect(items).toHaveLength(count);
    const names = items.map(({ row, itemNo, isSwapped }) => `${row} ${itemNo} ${isSwapped}`);
    expect(new Set(names).size).toBe(count);
    const known = itemsOf(spec);
    expect(items.filter(({ row, item, itemNo }) => row >= spec.rows || item.join() !== known[itemNo]?.join())).toEqual(
      [],
    );
    // The verdicts on a row come together, and those on an item side by side.
    const order = items.map(({ row, itemNo, isSwapped }) => row * 100 + itemNo * 10 + Number(isSwapped));
    expect(order).toEqual(order.toSorted((left, right) => left - right));
  });

  test('of the examination have the first answers, and the places of a pair in turn', () => {
    const exam = placesOf(PAIRS).slice(0, EXAM_ROWS);
    expect(exam.map(({ row }) => row)).toEqual([0, 1, 2, 3, 0, 0, 1, 2]);
    expect(exam.map(({ isSwapped }) => isSwapped)).toEqual([false, true, false, true, false, true, false, true]);
    expect(exam.map(({ item, itemNo }) => [item, itemNo])).toEqual(exam.map(() => [[0, 1], 0]));
    expect(placesOf({ ...RUBRIC, rows: 1 }).map(({ row }) => row)).toEqual(Array(11).fill(0));
  });

  test('begin a judged row with the first verdict on it', () => {
    expect([0, 8, 9, 14, 15, 20, 21, 32].map((nextNo) => judgedRowsBegun(PAIRS, nextNo))).toEqual([
      0, 0, 1, 1, 2, 2, 3, 4,
    ]);
    expect([8, 9, 12, 13].map((nextNo) => judgedRowsBegun(BASELINE, nextNo))).toEqual([0, 1, 1, 2]);
    expect([8, 9, 11, 12].map((nextNo) => judgedRowsBegun(RUBRIC, nextNo))).toEqual([0, 1, 1, 2]);
  });
});
