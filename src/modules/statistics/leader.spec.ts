import { leadOver, type Contender, type Lead } from './leader';
import { mulberry32 } from './mulberry32';
import { quantile } from './quantiles';

const lead = (leader: Contender, others: readonly Contender[], isSerial = true): Lead =>
  leadOver(leader, others, isSerial);
const constant = (name: string, value: number, rounds: number): Contender => ({
  name,
  rounds: new Array<number>(rounds).fill(value),
});

describe('The lead of a model', () => {
  test('is sure when every round of at least 6 speaks for it', () => {
    const slow = { name: 'slow', rounds: [210, 230, 250, 205, 260, 300] };
    expect(lead(constant('quick', 100, 6), [slow])).toMatchObject({
      confident: true,
      pValue: 0.03125,
      rival: { name: 'slow', rounds: 6, lost: 0 },
    });
  });

  test('is sure when the difference is the same in each round, as with costs', () => {
    expect(lead(constant('a', 0.001, 6), [constant('b', 0.002, 6)], false)).toMatchObject({
      confident: true,
      pValue: 0.03125,
      rival: { isSettled: true, ratio: expect.closeTo(2, 12), interval: null },
    });
  });

  test('is sure where the leader costs nothing', () => {
    expect(lead(constant('free', 0, 6), [constant('paid', 0.002, 6)], false)).toMatchObject({
      confident: true,
      pValue: 0.03125,
      rival: { ratio: Infinity },
    });
  });

  test('is never sure below 6 rounds, whatever the difference', () => {
    expect(lead(constant('quick', 1, 5), [constant('slow', 1000, 5)])).toMatchObject({
      confident: false,
      pValue: null,
      rival: { name: 'slow', rounds: 5 },
    });
  });

  test('is none where most rounds speak for it only by timeouts, and the others more against it', () => {
    const own = { name: 'own', rounds: [1, 1, 1, 1, 1, 1, 1, 100] };
    const [against, beside] = [1, 100].map(
      (last) => lead(own, [{ name: 'other', rounds: [...new Array<number>(7).fill(Infinity), last] }]).rival,
    );
    expect([against, beside]).toMatchObject([
      { isBehind: false, isSure: false, pValue: 1, lost: 1 },
      { isBehind: true, lost: 0 },
    ]);
  });

  test('counts the rounds only that both answered', () => {
    const failing = { name: 'failing', rounds: [undefined, 1000, 1000, undefined, 1000, 1000, 1000] };
    expect(lead(constant('quick', 1, 7), [constant('slow', 1000, 7), failing])).toMatchObject({
      confident: false,
      pValue: null,
      rival: { name: 'failing', rounds: 5 },
    });
  });

  test('is not sure when one of the others is as good, and names that one', () => {
    const unsure = lead(constant('quick', 100, 8), [
      constant('slow', 1000, 8),
      { name: 'same', rounds: [100, 101, 99, 102, 98, 100, 101, 99] },
      constant('slower', 2000, 8),
    ]);
    expect(unsure).toMatchObject({ confident: false, rival: { name: 'same', rounds: 8 } });
    expect(unsure.pValue).toBeGreaterThan(0.5);
  });

  test('is not sure above 5 %, as with one of eight rounds that speaks against it', () => {
    expect(lead(constant('a', 100, 8), [{ name: 'b', rounds: [200, 200, 200, 50, 200, 200, 200, 200] }])).toMatchObject(
      { confident: false, pValue: 0.0703125, rival: { name: 'b', rounds: 8, lost: 1 } },
    );
  });

  test('is sure without a test where measures never vary, from two rounds on, but never where rounds share a moment', () => {
    expect(lead(constant('a', 1, 2), [constant('b', 100, 2)], false)).toMatchObject({ confident: true, pValue: null });
    expect(lead(constant('a', 1, 1), [constant('b', 100, 1)], false)).toMatchObject({ confident: false, pValue: null });
    expect(lead(constant('a', 1, 2), [constant('b', 100, 2)])).toMatchObject({ confident: false, pValue: null });
    expect(lead(constant('a', 2, 2), [constant('b', 1, 2)], false)).toMatchObject({ confident: false });
    expect(lead(constant('a', 1, 5), [{ name: 'b', rounds: [2, 2, 2, 2, 3] }], false)).toMatchObject({
      confident: false,
      pValue: null,
    });
  });

  test('is not sure where the rounds favor another, however unlikely by luck that is, and names that one', () => {
    const leader = { name: 'a', rounds: [1000, 1000, 1000, 1000, 1900, 1950, 4000, 4000, 4000, 4000] };
    const other = { name: 'b', rounds: [200, 200, 200, 200, 2300, 2300, 2300, 2300, 2300, 2300] };
    expect(lead(leader, [constant('slow', 90_000, 10), other])).toMatchObject({
      confident: false,
      pValue: 1,
      rival: { name: 'b', lost: 8, isBehind: false },
    });
    expect(lead(other, [leader], false)).toMatchObject({ rival: { isBehind: true, lost: 2 } });
  });

  test('has a size with an interval, and is never sure below a ratio of 1.25 where rounds share a moment', () => {
    const steady = [100, 102, 98, 101, 99, 100, 102, 98, 101, 99];
    const times = (ratio: number) => ({
      name: 'b',
      rounds: [100, 98, 102, 99, 101, 101, 99, 100, 98, 102].map((value) => value * ratio),
    });
    const at = (ratio: number, isSerial = true) => lead({ name: 'a', rounds: steady }, [times(ratio)], isSerial);
    expect(at(1.09)).toMatchObject({
      confident: false,
      pValue: 1 / 512,
      rival: {
        isBehind: true,
        ratio: expect.closeTo(1.09, 2),
        interval: [expect.closeTo(1.07, 2), expect.closeTo(1.11, 2)],
      },
    });
    expect([at(1.09, false).confident, at(1.23).confident, at(1.26).confident]).toEqual([true, false, true]);
    expect(lead(constant('a', 100, 6), [constant('b', 125, 6)]).confident).toBe(true);
  });

  test('takes what is infinite for larger than all else: only directions count, and rounds that neither answered do not', () => {
    const late = (...rounds: number[]): Contender => ({ name: 'late', rounds });
    const quick = constant('quick', 100, 8);
    expect(lead(quick, [late(200, Infinity, 210, 190, Infinity, 220, 200, 205)])).toMatchObject({
      confident: true,
      pValue: 0.0078125,
      rival: { ratio: expect.closeTo(2.04, 2), interval: null },
    });
    expect(
      lead({ name: 'quick', rounds: [100, Infinity, 100, 100, Infinity, 100, 100, 100] }, [constant('slow', 300, 8)]),
    ).toMatchObject({ confident: false, pValue: 0.2890625, rival: { lost: 2, isBehind: true } });
    expect(
      lead({ name: 'quick', rounds: [100, Infinity, 100, 100, 100, 100] }, [late(300, Infinity, 300, 300, 300, 300)]),
    ).toMatchObject({ pValue: null, rival: { rounds: 5 } });
    // Beside the timeouts it is no slower.
    expect(lead(quick, [late(100, Infinity, 99, 101, Infinity, Infinity, Infinity, Infinity)]).confident).toBe(false);
  });

  test('is nothing to be sure of without another model', () => {
    expect(lead(constant('alone', 1, 10), [])).toEqual({ confident: false, pValue: null, rival: undefined });
  });
});

describe('In simulated compares', () => {
  const random = mulberry32(2026);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const medianOf = ({ rounds }: Contender) =>
    quantile(
      rounds.filter((round) => round !== undefined),
      0.5,
    );

  /** Log-normal latencies with noise 0.35, each correlated with the one before. */
  function latencies(name: string, median: number, rounds: number, correlation: number): Contender {
    let noise = normal();
    const next = () => {
      const latency = Math.round(median * Math.exp(0.35 * noise));
      noise = correlation * noise + Math.sqrt(1 - correlation ** 2) * normal();
      return latency;
    };
    return { name, rounds: Array.from({ length: rounds }, next) };
  }

  /** The number of compares with a confident lead, and the number of these in which the first model leads. */
  function confidentOf(
    trials: number,
    medians: readonly number[],
    rounds = 10,
    correlation = 0,
  ): { confident: number; first: number } {
    const sure = Array.from({ length: trials }, () => {
      const contenders = medians.map((median, index) => latencies(`m${index}`, median, rounds, correlation));
      const leader = contenders.reduce((best, next) => (medianOf(next) < medianOf(best) ? next : best));
      return {
        name: leader.name,
        ...lead(
          leader,
          contenders.filter((contender) => contender !== leader),
        ),
      };
    }).filter(({ confident }) => confident);
    return { confident: sure.length, first: sure.filter(({ name }) => name === 'm0').length };
  }

  test.each([
    [0, 10, 300, 12],
    [0.6, 6, 300, 24],
    [0.6, 10, 1000, 70],
  ])(
    'with a correlation of %d between rounds in a row, two equal models are distinguished by %i rounds in at most the expected share of %i: %i',
    (correlation, rounds, trials, most) => {
      expect(confidentOf(trials, [400, 400], rounds, correlation).confident).toBeLessThanOrEqual(most);
    },
  );

  test('four equal models are distinguished in at most 2 of 100', () => {
    expect(confidentOf(100, [400, 400, 400, 400]).confident).toBeLessThanOrEqual(2);
  });

  test('a model that is twice as slow is distinguished in more than half, with 20 rounds or three times as slow nearly always, and is never called the fastest', () => {
    const [twice, thrice, longer] = [
      confidentOf(100, [400, 800]),
      confidentOf(100, [400, 1200]),
      confidentOf(30, [400, 800], 20),
    ];
    expect([twice.first, thrice.first]).toEqual([twice.confident, thrice.confident]);
    expect([twice.confident > 55, thrice.confident > 80, longer.confident > 25]).toEqual([true, true, true]);
  });

  test('too few samples never tell anything', () => {
    expect(confidentOf(100, [400, 4000], 5).confident).toBe(0);
  });
});
