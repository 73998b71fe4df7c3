import { correctedRate, type Label } from './corrected-rate';
import { wilson } from './intervals';
import { mulberry32 } from './mulberry32';

const ITEMS = 300;
const DRAWS = 800;

const CELLS: readonly Label[] = [1, 0].flatMap((people) => [1, 0].map((judge) => ({ people, judge })));
const repeated = (counts: readonly number[]): Label[] =>
  counts.flatMap((count, cell) => new Array<Label>(count).fill(CELLS[cell] ?? { people: 0, judge: 0 }));

/** Labels on the first `n` of the items that `draw` makes, and the judge's verdicts on the others. */
function sample(n: number, draw: () => Label): [Label[], number[]] {
  const [labels, others]: [Label[], number[]] = [[], []];
  while (labels.length < n) labels.push(draw());
  while (others.length < ITEMS - n) others.push(draw().judge);
  return [labels, others];
}

/** How often the interval covers the rate of people, and its width as a share of Wilson's on the labels alone. */
function simulated(n: number, [right, rejected]: readonly [number, number], rate: number, random: () => number) {
  const draw = (): Label => {
    const point = random();
    const isGood = point < rate;
    const isAgreed = isGood ? point < rate * right : point < rate + (1 - rate) * rejected;
    return CELLS[(isGood ? 0 : 2) + (isGood === isAgreed ? 0 : 1)] ?? { people: NaN, judge: NaN };
  };
  let [covered, width, alone] = [0, 0, 0];
  for (let round = 0; round < DRAWS; round++) {
    const [labels, others] = sample(n, draw);
    const [low, high] = correctedRate(labels, others)?.interval ?? [NaN, NaN];
    const [from, to] = wilson(labels.filter((label) => label.people === 1).length, n) ?? [NaN, NaN];
    covered += low <= rate && rate <= high ? 1 : 0;
    width += high - low;
    alone += to - from;
  }
  return { n, right, rate, coverage: covered / DRAWS, width: width / alone };
}

describe('A rate corrected by labels of people', () => {
  const random = mulberry32(1);
  const judges = [[0.98, 0.98], [0.9, 0.8], [0.7, 0.7], [0.5, 0.5]] as const; // prettier-ignore
  let grid: ReturnType<typeof simulated>[] = [];
  beforeAll(() => {
    grid = [20, 50, 100, 150].flatMap((n) =>
      judges.flatMap((judge) => [0.5, 0.7, 0.9, 0.97].map((rate) => simulated(n, judge, rate, random))),
    );
  });

  test('is covered by its interval, whatever the judge is like', () => {
    expect(grid).toHaveLength(64);
    expect(grid.filter(({ coverage }) => !(coverage >= 0.92))).toEqual([]);
    expect(grid.reduce((total, { coverage }) => total + coverage, 0) / grid.length).toBeGreaterThanOrEqual(0.93);
  });

  test('has an interval that a bad judge hardly widens and a good one narrows by a quarter', () => {
    expect(grid.filter(({ width }) => !(width <= 1.06))).toEqual([]);
    const best = grid.filter(({ n, right }) => n <= 50 && right === 0.98);
    expect(best).toHaveLength(8);
    expect(best.filter(({ width }) => !(width <= 0.75))).toEqual([]);
  });

  // numpy, with weights of the labels
  test('lies between that of the labels and that of the judge', () => {
    const others = repeated([0, 0, 130, 70]).map((label) => label.judge);
    expect(correctedRate(repeated([20, 2, 3, 15]), others)).toEqual({
      rate: expect.closeTo(0.593567, 6),
      interval: [expect.closeTo(0.478728, 6), expect.closeTo(0.708407, 6)],
      asIfLabels: 70,
    });
  });

  test('is that of the labels alone without other items, and with a judge by chance', () => {
    const labels = repeated([15, 15, 5, 5]);
    const [rate, half] = [31 / 42, 1.959964 * Math.sqrt(((31 / 42) * (11 / 42)) / 42)];
    const alone = {
      rate: expect.closeTo(rate, 9),
      interval: [expect.closeTo(rate - half, 6), expect.closeTo(rate + half, 6)],
      asIfLabels: 40,
    };
    expect([correctedRate(labels, []), correctedRate(labels, new Array<number>(200).fill(1))]).toEqual([alone, alone]);
  });

  test.each([
    ['passed', [40, 0, 0, 0], 1],
    ['failed', [0, 0, 0, 40], 0],
  ])('has an interval and a sensible number of labels where all %s', (_, counts, judge) => {
    const { rate, interval, asIfLabels } = correctedRate(repeated(counts), new Array<number>(260).fill(judge)) ?? {
      rate: NaN,
      interval: [NaN, NaN],
      asIfLabels: NaN,
    };
    expect(Math.abs(rate - judge)).toBeLessThan(0.02);
    expect(interval[1] - interval[0]).toBeGreaterThan(0.02);
    expect(interval[0] >= 0 && interval[1] <= 1 && asIfLabels >= 40 && asIfLabels <= 300).toBe(true);
  });

  test('takes scores between 0 and 1', () => {
    const draw = mulberry32(3);
    const scores = sample(60, () => {
      const quality = draw();
      return { people: quality, judge: (quality + draw()) / 2 };
    });
    const found = correctedRate(...scores);
    expect(found?.rate).toBeCloseTo(0.5, 1);
    expect(found?.asIfLabels).toBeGreaterThan(70);
    expect(found?.asIfLabels).toBeLessThan(150);
  });

  test('does not exist below 20 labels', () => {
    expect(correctedRate(repeated([19, 0, 0, 0]), [1, 1])).toBeNull();
    expect(correctedRate(repeated([19, 0, 0, 1]), [1, 1])).not.toBeNull();
  });
});
