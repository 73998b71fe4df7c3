import type { JudgeSpec } from '../judge/judge-spec';
import { drawnItems } from './draw';

const JUDGE: JudgeSpec = {
  of: 'exp_1',
  kind: 'pairwise',
  criterion: 'It is good.',
  scale: null,
  judged: ['a', 'b', 'c'],
  baseline: null,
  rows: 50,
};
const nameOf = ({ rowNo, itemNo }: { rowNo: number; itemNo: number }) => `${rowNo} ${itemNo}`;
const orderOf = (judge: JudgeSpec, { id = 'exp_2', summary = null as object | null, votes = new Map() } = {}) => [
  ...drawnItems({ id, summary }, judge, votes),
];

describe('The items to vote on', () => {
  it('are every item once, the first 100 at random in an order that only the experiment decides', () => {
    const items = orderOf(JUDGE);
    expect(new Set(items.map(nameOf)).size).toBe(150);
    expect(items.map(({ isRandom }) => isRandom)).toEqual(items.map((_, index) => index < 100));
    expect(orderOf(JUDGE)).toEqual(items);
    expect(orderOf(JUDGE, { id: 'exp_3' })).not.toEqual(items);
    expect(orderOf({ ...JUDGE, rows: 2 }).map(({ isRandom }) => isRandom)).toEqual(Array(6).fill(true));
  });

  it('are drawn with the same probability', () => {
    const drawn = new Map<string, number>();
    const judge = { ...JUDGE, rows: 100 };
    for (let experiment = 0; experiment < 600; experiment += 1)
      for (const item of orderOf(judge, { id: `exp_${experiment}` }).slice(0, 100))
        drawn.set(nameOf(item), (drawn.get(nameOf(item)) ?? 0) + 1);
    // 600 times with a probability of one third: 200 with a standard deviation of 11.5.
    expect(drawn.size).toBe(300);
    expect(Math.min(...drawn.values())).toBeGreaterThan(150);
    expect(Math.max(...drawn.values())).toBeLessThan(250);
  });

  it('have the pair with the widest interval first after that, and rows in order', () => {
    const summary = {
      pairs: [
        { models: ['a', 'b'], metric: 'passed', ci: [-0.1, 0.1] },
        { models: ['c', 'a'], metric: 'passed', ci: [-0.2, 0.3] },
        { models: ['b', 'c'], metric: 'cost_usd', ci: [0, 9] },
        { models: ['b', 'c'], metric: 'passed', ci: [0.1, 0.2] },
      ],
    };
    const rest = orderOf(JUDGE, { summary }).slice(100);
    expect([...new Set(rest.map(({ itemNo }) => itemNo))]).toEqual([1, 0, 2]);
    const rows = rest.filter(({ itemNo }) => itemNo === 1).map(({ rowNo }) => rowNo);
    expect(rows).toEqual(rows.toSorted((left, right) => left - right));
  });

  it('have the model with the widest interval first of a rubric, an unknown one before it', () => {
    const summary = {
      models: [
        { model: 'a', passed: { ci: [0.4, 0.5] }, score: null },
        { model: 'b', passed: null, score: { ci: [0.4, 0.6] } },
      ],
    };
    const rest = orderOf({ ...JUDGE, kind: 'rubric' }, { summary }).slice(100);
    expect([...new Set(rest.map(({ itemNo }) => itemNo))]).toEqual([2, 1, 0]);
  });

  it('have the one with the fewest votes first without a summary', () => {
    const votes = new Map([
      [0, 40],
      [2, 30],
    ]);
    const rest = orderOf(JUDGE, { votes }).slice(100);
    expect([...new Set(rest.map(({ itemNo }) => itemNo))]).toEqual([1, 2, 0]);
  });

  it('are drawn fast of 10,000 rows with 10 items each', () => {
    const judge = { ...JUDGE, judged: ['a', 'b', 'c', 'd', 'e'], rows: 10_000 };
    const [first] = drawnItems({ id: 'exp_2', summary: null }, judge, new Map());
    expect(first?.isRandom).toBe(true);
    expect(new Set(orderOf(judge).map(nameOf)).size).toBe(100_000);
  });
});
