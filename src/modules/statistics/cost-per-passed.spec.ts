import { costPerPassed } from './cost-per-passed';
import { mulberry32 } from './mulberry32';

const each = (length: number) => ({ of: Array.from({ length }, (_, row) => row), count: length });
const of = (costs: number[], passes: number[], clusters = each(costs.length), isWilson = true) =>
  costPerPassed({ costs: Float64Array.from(costs), passes: Float64Array.from(passes), clusters, isWilson });

/** A normal number by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** How often the interval covers the truth, and lies below or above it. */
function coverage(n: number, rate: number, spread: number, failedFactor: number, repetitions: number) {
  const random = mulberry32(n * 1009 + Math.round(rate * 100) * 17 + Math.round(spread * 10) * 3 + failedFactor);
  // Logarithmic normal costs with a mean of 1.
  const sigma = Math.sqrt(Math.log(1 + spread ** 2));
  const truth = (rate + (1 - rate) * failedFactor) / rate;
  let [covered, known] = [0, 0];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const passes = Array.from({ length: n }, () => Number(random() < rate));
    const costs = passes.map(
      (passed) => (passed === 1 ? 1 : failedFactor) * Math.exp(sigma * normal(random) - sigma ** 2 / 2),
    );
    const result = of(costs, passes);
    if (result === null) continue;
    known += 1;
    const [low, high] = result.interval ?? [NaN, NaN];
    if (low <= truth && truth <= high) covered += 1;
  }
  return covered / known;
}

describe('costPerPassed', () => {
  it('divides the cost of all calls by the passed ones, and counts the failed ones', () => {
    expect(of([1, 2, 3, 4, 5, 6, 7], [1, 1, 1, 1, 1, 0, 0])?.usd).toBeCloseTo(28 / 5, 12);
  });

  it('is null below 5 passed rows', () => {
    expect(of([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0])).toBeNull();
    expect(of([1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0])).not.toBeNull();
  });

  it('costs nothing, without an interval, where all calls are free', () => {
    expect(of([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0])).toEqual({ usd: 0, interval: null });
  });

  it('leaves out rows without a call', () => {
    const with9 = of([1, 1, 1, 1, 1, 2, NaN, NaN, NaN], [1, 1, 1, 1, 1, 0, NaN, NaN, NaN]);
    expect(with9).toEqual(of([1, 1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 0]));
  });

  it('is as wide as the pass rate says where all costs are equal and all rows pass', () => {
    const [low, high] = of(Array(20).fill(1), Array(20).fill(1))?.interval ?? [];
    expect(low).toBeCloseTo(1, 12);
    // Wilson's lower end of 20 of 20 is 0.8389.
    expect(high).toBeCloseTo(1 / 0.8389, 3);
  });

  it('takes groups as the unit: equal rows of a group say no more than one', () => {
    const costs = Array.from({ length: 40 }, (_, row) => 1 + (Math.floor(row / 4) % 3));
    const passes = Array.from({ length: 40 }, (_, row) => Number(Math.floor(row / 4) % 4 !== 0));
    const alone = of(costs, passes)?.interval ?? [NaN, NaN];
    const grouped = of(costs, passes, { of: costs.map((_, row) => Math.floor(row / 4)), count: 10 }, false)
      ?.interval ?? [NaN, NaN];
    expect(grouped[1] - grouped[0]).toBeGreaterThan(1.5 * (alone[1] - alone[0]));
  });

  it('covers the truth in 91 % or more over a grid, and in no cell in much less', () => {
    const cells = [20, 60].flatMap((n) =>
      [0.3, 0.9, 0.98].flatMap((rate) =>
        [0.3, 1].flatMap((spread) => [0.5, 2].map((factor) => coverage(n, rate, spread, factor, 250))),
      ),
    );
    expect(cells.reduce((sum, one) => sum + one, 0) / cells.length).toBeGreaterThanOrEqual(0.91);
    // Of 250 repetitions of 0.915, fewer than 0.86 are covered once in 1,000 cells.
    expect(Math.min(...cells)).toBeGreaterThanOrEqual(0.86);
  });
});
