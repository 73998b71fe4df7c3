import { bradleyTerry, type Duel } from './bradley-terry';
import { wilson } from './intervals';
import { mulberry32 } from './mulberry32';

const close = (values: readonly number[], digits = 6) => values.map((value) => expect.closeTo(value, digits));
const PAIRS = [[0, 1], [0, 2], [1, 2]] as const; // prettier-ignore

/** Duels of three models, each item a cluster with the scores of the three pairs. */
function rounds(items: readonly (readonly number[])[]): Duel[] {
  return items.flatMap((scores, cluster) =>
    PAIRS.map(([first, second], pair) => ({ first, second, score: scores[pair] ?? NaN, cluster })),
  );
}

/** Duels between two models, one per cluster. */
const match = (scores: readonly number[]): Duel[] =>
  scores.map((score, cluster) => ({ first: 0, second: 1, score, cluster }));

const at = (values: readonly number[], index: number): number => values[index] ?? NaN;

/** Minorization and maximization by Hunter (2004), which shares no code with Newton's method. */
function byMinorization(duels: readonly Duel[], models: number): number[] {
  const pairs = new Map<string, { pair: [number, number]; count: number }>();
  const won = new Array<number>(models).fill(0);
  const win = (model: number, score: number) => (won[model] = at(won, model) + score);
  for (const { first, second, score } of duels) {
    const pair: [number, number] = [Math.min(first, second), Math.max(first, second)];
    const count = pairs.get(pair.join())?.count ?? 1;
    if (count === 1) for (const model of pair) win(model, 0.5);
    pairs.set(pair.join(), { pair, count: count + 1 });
    win(first, score);
    win(second, 1 - score);
  }
  let strengths = won.map(() => 0);
  for (let step = 0, change = 1; step < 100_000 && change > 1e-12; step++) {
    const shares = won.map(() => 0);
    for (const { pair, count } of pairs.values()) {
      const share = count / (Math.exp(at(strengths, pair[0])) + Math.exp(at(strengths, pair[1])));
      for (const model of pair) shares[model] = at(shares, model) + share;
    }
    const next = won.map((wins, model) => Math.log(wins / at(shares, model)));
    const center = next.reduce((total, strength) => total + strength, 0) / models;
    change = Math.max(...next.map((strength, model) => Math.abs(strength - center - at(strengths, model))));
    strengths = next.map((strength) => strength - center);
  }
  return strengths;
}

/** Duels of up to 6 models. Later ones are stronger, so that some never lose. */
function drawTable(random: () => number): [Duel[], number] {
  const models = 2 + Math.floor(random() * 5);
  const duels = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, cluster): Duel => {
    const first = Math.floor(random() * models);
    const second = (first + 1 + Math.floor(random() * (models - 1))) % models;
    const winner = random() < 0.7 ? Math.max(first, second) : second;
    return { first, second, score: random() < 0.2 ? 0.5 : Number(first === winner), cluster };
  });
  return [duels, models];
}

function isConnected(duels: readonly Duel[], models: number): boolean {
  const groups = Array.from({ length: models }, (_, model) => model);
  for (const { first, second } of duels) {
    const [from, to] = [groups[first] ?? -1, groups[second] ?? -1];
    for (const [model, group] of groups.entries()) if (group === from) groups[model] = to;
  }
  return new Set(groups).size === 1;
}

describe('The model of Bradley and Terry', () => {
  // scipy.optimize.minimize
  test('has the strengths and win rates of a table of wins', () => {
    const wins = [[0, 2.5, 8], [7.5, 0, 6], [2, 4, 0]]; // prettier-ignore
    const duels = PAIRS.flatMap(([first, second]) =>
      Array.from({ length: 10 }, (_, cluster) => ({
        first,
        second,
        score: (wins[first]?.[second] ?? NaN) / 10,
        cluster,
      })),
    );
    const found = bradleyTerry(duels, 3);
    expect(found?.strengths).toEqual(close([0.064213, 0.448361, -0.512573]));
    expect(found?.winRates.map(({ rate }) => rate)).toEqual(close([0.522727, 0.659091, 0.318182]));
  });

  // numpy.linalg.pinv and scipy.stats.t
  test('has intervals that take items as clusters', () => {
    const found = bradleyTerry(
      rounds([
        [1, 1, 1],
        [0.5, 1, 0],
        [0, 1, 1],
        [0, 0, 0.5],
        [1, 1, 1],
        [0, 1, 1],
      ]),
      3,
    );
    expect(found?.strengths).toEqual(close([0.314442, 0.418417, -0.732859]));
    expect(found?.winRates).toEqual([
      { rate: expect.closeTo(0.607143, 6), interval: close([0.265643, 0.948642]) },
      { rate: expect.closeTo(0.642857, 6), interval: close([0.369506, 0.916208]) },
      { rate: expect.closeTo(0.25, 6), interval: close([0, 0.551707]) },
    ]);
  });

  test('agrees with minorization and maximization on 500 random tables, and exists only where all are connected', () => {
    const random = mulberry32(1);
    const tables = Array.from({ length: 500 }, () => drawTable(random));
    const apart = tables.filter(([duels, models]) => !isConnected(duels, models));
    expect(apart.length > 20 && apart.length < 250).toBe(true);
    expect(apart.filter(([duels, models]) => bradleyTerry(duels, models) !== null)).toEqual([]);
    for (const [duels, models] of tables.filter((drawn) => !apart.includes(drawn))) {
      const { strengths = [] } = bradleyTerry(duels, models) ?? {};
      const difference = Math.max(
        ...byMinorization(duels, models).map((strength, model) => Math.abs(strength - at(strengths, model))),
      );
      expect(difference).toBeLessThan(1e-6);
      expect(Math.abs(strengths.reduce((total, strength) => total + strength, 0))).toBeLessThan(1e-9);
    }
  });

  test('covers the win rate of equal models in 93 to 97 % of draws', () => {
    const random = mulberry32(2);
    const covered = [0, 0, 0];
    for (let draw = 0; draw < 1000; draw++) {
      const items = Array.from({ length: 100 }, () => {
        // One quality per answer makes the three duels of an item depend on each other.
        const qualities = [0, 1, 2].map(() => Math.floor(random() * 4));
        return PAIRS.map(([first, second]) => (Math.sign((qualities[first] ?? 0) - (qualities[second] ?? 0)) + 1) / 2);
      });
      for (const [model, { interval }] of (bradleyTerry(rounds(items), 3)?.winRates ?? []).entries())
        if (interval[0] <= 0.5 && 0.5 <= interval[1]) covered[model] = (covered[model] ?? 0) + 1;
    }
    expect(covered.filter((count) => !(count >= 930 && count <= 970))).toEqual([]);
  });

  test('has an interval with a width where clusters do not differ', () => {
    const ties = bradleyTerry(match(new Array<number>(20).fill(0.5)), 2);
    expect(ties).toEqual({
      strengths: close([0, 0], 12),
      winRates: [
        { rate: 0.5, interval: wilson(10, 20) },
        { rate: 0.5, interval: wilson(10, 20) },
      ],
    });
    const won = bradleyTerry(match(new Array<number>(30).fill(1)), 2)?.winRates[0];
    expect(won).toEqual({ rate: expect.closeTo(30.5 / 31, 9), interval: close(wilson((30 * 30.5) / 31, 30) ?? []) });
    // The first model always ties, while the others differ.
    const between = bradleyTerry(rounds(Array.from({ length: 20 }, (_, item) => [0.5, 0.5, item % 3 ? 1 : 0])), 3);
    expect(between?.winRates[0]).toEqual({ rate: expect.closeTo(0.5, 9), interval: close(wilson(10, 20) ?? []) });
    const single = bradleyTerry(match([1]), 2)?.winRates[0];
    expect(single).toEqual({ rate: expect.closeTo(0.75, 9), interval: close(wilson(0.75, 1) ?? []) });
  });

  test('fits models that always win, in a long chain', () => {
    const duels = Array.from({ length: 7000 }, (_, index) => ({
      first: index % 7,
      second: (index % 7) + 1,
      score: 1,
      cluster: index,
    }));
    const { strengths = [] } = bradleyTerry(duels, 8) ?? {};
    expect(strengths.slice(1).map((strength, index) => (strengths[index] ?? NaN) - strength)).toEqual(
      close(new Array<number>(7).fill(Math.log(1000.5 / 0.5)), 9),
    );
  });

  test('does not depend on the order of duels, nor on which model is named first', () => {
    const duels = rounds([
      [1, 0, 0.5],
      [1, 1, 0],
      [0, 1, 1],
      [0.5, 1, 1],
    ]);
    const turned = duels.map(({ first, second, score, cluster }) => ({
      first: second,
      second: first,
      score: 1 - score,
      cluster: 9 - cluster,
    }));
    const [found, same] = [bradleyTerry(duels, 3), bradleyTerry(turned.reverse(), 3)];
    expect(same?.strengths).toEqual(close(found?.strengths ?? [], 9));
    expect(same?.winRates.map(({ interval }) => interval)).toEqual(
      found?.winRates.map(({ interval }) => close(interval, 9)),
    );
  });

  test('does not exist without a duel, nor where models are apart', () => {
    const apart = [...match([1, 0]), { first: 2, second: 3, score: 1, cluster: 0 }];
    expect([bradleyTerry([], 1), bradleyTerry([], 2), bradleyTerry(match([1]), 3), bradleyTerry(apart, 4)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
