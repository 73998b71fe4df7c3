import { leadOver, type Contender, type Lead } from './leader';
import { mulberry32 } from './mulberry32';
import { quantile } from './quantiles';
import { runSteps } from './steps';

const lead = (leader: Contender, others: readonly Contender[]): Lead => runSteps(leadOver(leader, others));
const constant = (name: string, value: number, rounds: number): Contender => ({ name, rounds: new Array<number>(rounds).fill(value) });

describe('The lead of a model', () => {
  test('is sure when every round of at least 6 speaks for it', () => {
    const slow = { name: 'slow', rounds: [210, 230, 250, 205, 260, 300] };
    expect(lead(constant('quick', 100, 6), [slow])).toEqual({ confident: true, pValue: 0.03125, rival: { name: 'slow', rounds: 6 } });
  });

  test('is sure when the difference is the same in each round, as with costs', () => {
    expect(lead(constant('a', 0.001, 6), [constant('b', 0.002, 6)])).toMatchObject({ confident: true, pValue: 0.03125 });
  });

  test('is sure where the leader costs nothing', () => {
    expect(lead(constant('free', 0, 6), [constant('paid', 0.002, 6)])).toMatchObject({ confident: true, pValue: 0.03125 });
  });

  test('is never sure below 6 rounds, whatever the difference', () => {
    expect(lead(constant('quick', 1, 5), [constant('slow', 1000, 5)])).toEqual({ confident: false, pValue: null, rival: { name: 'slow', rounds: 5 } });
  });

  test('counts the rounds only that both answered', () => {
    const failing = { name: 'failing', rounds: [undefined, 1000, 1000, undefined, 1000, 1000, 1000] };
    expect(lead(constant('quick', 1, 7), [constant('slow', 1000, 7), failing])).toEqual({ confident: false, pValue: null, rival: { name: 'failing', rounds: 5 } });
  });

  test('is not sure when one of the others is as good, and names that one', () => {
    const unsure = lead(constant('quick', 100, 8), [constant('slow', 1000, 8), { name: 'same', rounds: [100, 101, 99, 102, 98, 100, 101, 99] }, constant('slower', 2000, 8)]);
    expect(unsure).toMatchObject({ confident: false, rival: { name: 'same', rounds: 8 } });
    expect(unsure.pValue).toBeGreaterThan(0.5);
  });

  test('is not sure above 5 %, as with one of eight rounds that speaks against it', () => {
    expect(lead(constant('a', 100, 8), [{ name: 'b', rounds: [200, 200, 200, 50, 200, 200, 200, 200] }])).toEqual({ confident: false, pValue: 0.0703125, rival: { name: 'b', rounds: 8 } });
  });

  test('is nothing to be sure of without another model', () => {
    expect(lead(constant('alone', 1, 10), [])).toEqual({ confident: false, pValue: null, rival: undefined });
  });
});

describe('In 200 simulated compares of 10 samples', () => {
  const random = mulberry32(2026);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const latencies = (name: string, median: number, rounds: number): Contender => ({ name, rounds: Array.from({ length: rounds }, () => Math.round(median * Math.exp(0.35 * normal()))) });
  const medianOf = ({ rounds }: Contender) => quantile(rounds.filter((round) => round !== undefined), 0.5);

  /** In how many of 200 compares the model with the lowest median is said to be the fastest for sure. */
  function confidentOf200(medians: readonly number[], rounds = 10): { confident: number; first: number } {
    const trials = Array.from({ length: 200 }, () => {
      const contenders = medians.map((median, index) => latencies(`m${index}`, median, rounds));
      const leader = contenders.reduce((best, next) => (medianOf(next) < medianOf(best) ? next : best));
      return { name: leader.name, ...lead(leader, contenders.filter((contender) => contender !== leader)) };
    }).filter(({ confident }) => confident);
    return { confident: trials.length, first: trials.filter(({ name }) => name === 'm0').length };
  }

  test('equal models are told apart in at most 20', () => {
    expect(confidentOf200([400, 400]).confident).toBeLessThanOrEqual(20);
    expect(confidentOf200([400, 400, 400, 400]).confident).toBeLessThanOrEqual(4);
  });

  test('a model that is twice as slow is told from the fastest in at least 180, and never mistaken for it', () => {
    const { confident, first } = confidentOf200([400, 800]);
    expect(confident).toBeGreaterThanOrEqual(180);
    expect(first).toBe(confident);
  });

  test('too few samples never tell anything', () => {
    expect(confidentOf200([400, 4000], 5).confident).toBe(0);
  });
});
