import { times } from '../../../../test/support/experiment-rows';
import { judgeSpec, judgmentTask, voteOf, type GivenTask } from '../../../../test/support/judgment-task';
import type { CountedVote } from './judge-spec';
import { labelsOf, peopleOf } from './people';

const PAIRS = judgeSpec({ judged: ['a', 'b', 'c'] });
const RUBRIC = judgeSpec({ kind: 'rubric' });
const near = (value: number): number => expect.closeTo(value, 6) as number;

/** The figures of votes on one model, beside outcomes of a panel. */
function peopleWith(votes: readonly CountedVote[], panel: readonly number[], given: Partial<GivenTask> = {}) {
  const spec = { kind: 'rubric' as const, judged: ['a'], ...given.spec };
  const task = judgmentTask({ rows: panel.length, judges: [], votes, ...given, spec });
  return peopleOf(task, Float64Array.from(panel), labelsOf(task.spec, votes));
}

describe('The labels of people', () => {
  test('are the mean vote on each item that was drawn at random', () => {
    const votes = [
      voteOf(0, '1'),
      voteOf(0, 'tie', { voter: 'key 2' }),
      voteOf(0, '2', { itemNo: 2 }),
      voteOf(1, 'none', { itemNo: 1 }),
      voteOf(3, '2', { itemNo: 2 }),
      voteOf(2, '1', { isRandom: false }),
    ];
    expect([...labelsOf(PAIRS, votes)]).toEqual([
      [0, 0.75],
      [2, 0],
      [4, 0.5],
      [11, 0],
    ]);
    expect([...labelsOf(RUBRIC, [voteOf(1, 'yes'), voteOf(1, 'no', { itemNo: 1 })])]).toEqual([
      [2, 1],
      [3, 0],
    ]);
  });
});

describe('The votes of people', () => {
  test('are counted with their voters, and all of them rank models', () => {
    const votes = [
      voteOf(0, 'yes'),
      voteOf(1, 'no', { isRandom: false }),
      voteOf(0, 'yes', { itemNo: 1, voter: 'key 2' }),
      voteOf(1, 'yes', { itemNo: 1, voter: 'key 2' }),
    ];
    expect(peopleWith(votes, [], { rows: 2, spec: { judged: ['a', 'b'] } })).toMatchObject({
      votes: 4,
      voters: 2,
      ranking: [
        { model: 'b', rate: 1 },
        { model: 'a', rate: 0.5 },
      ],
      agreement: { kappa: null, voted_twice: 0 },
      corrected: [],
    });
    expect(peopleWith([], [1])).toBeNull();
  });

  test('rank pairs by their expected win rates', () => {
    const votes = [voteOf(0, '1'), voteOf(1, '1'), voteOf(2, 'none'), voteOf(3, 'tie')];
    // 3 wins and the half of the pseudo-tie, of 5.
    expect(peopleWith(votes, [], { rows: 4, spec: { kind: 'pairwise', judged: ['a', 'b'] } })?.ranking).toMatchObject([
      { model: 'a', rate: 0.7 },
      { model: 'b', rate: 0.3 },
    ]);
  });

  // By hand: 3 of 4 agree, and (2 × 3 + 2 × 1) of 16 by chance.
  test('agree by kappa where two people voted on an item; a third is not counted', () => {
    const pairs = [['yes', 'yes'], ['yes', 'yes'], ['no', 'no'], ['no', 'yes']] as const; // prettier-ignore
    const votes = pairs.flatMap((both, row) =>
      both.map((winner, voter) => voteOf(row, winner, { voter: `key ${voter}` })),
    );
    const more = [...votes, voteOf(0, 'no', { voter: 'key 2' }), voteOf(5, 'no')];
    for (const some of [votes, more])
      expect(
        peopleWith(
          some,
          times(6, () => 1),
        )?.agreement,
      ).toEqual({ kappa: 0.5, voted_twice: 4 });
    expect(peopleWith(more, [], { rows: 6 })?.voters).toBe(3);
  });
});

describe('The corrected rate of people', () => {
  const votesOn = (count: number, yes: number) => times(count, (row) => voteOf(row, row < yes ? 'yes' : 'no'));

  // By hand: 15 of 22 with the pseudo-labels, and 1.96 standard errors.
  test('exists from 20 labels on', () => {
    const panel = times(20, (row) => Number(row < 10));
    expect(peopleWith(votesOn(20, 14), panel)?.corrected).toEqual([
      { models: ['a'], rate: near(15 / 22), ci: [near(0.487189), near(0.876448)], labels: 20, as_if_labels: 20 },
    ]);
    expect(peopleWith(votesOn(19, 14), panel)?.corrected).toEqual([]);
    const [first = voteOf(0, 'yes'), ...others] = votesOn(20, 14);
    expect(peopleWith([{ ...first, isRandom: false }, ...others], panel)?.corrected).toEqual([]);
    expect(peopleWith(votesOn(20, 14), [NaN, ...panel.slice(1)])?.corrected).toEqual([]);
  });

  // numpy, with weights of the labels
  test('counts the verdicts on other items', () => {
    // Of 22 yes, 20 passed; of 18 no, 3 did; and 130 of the others.
    const verdicts = [20, 2, 3, 15, 130, 70].flatMap((count, cell) => times(count, () => (cell + 1) % 2));
    expect(peopleWith(votesOn(40, 22), verdicts)?.corrected).toEqual([
      { models: ['a'], rate: near(0.593567), ci: [near(0.478728), near(0.708407)], labels: 40, as_if_labels: 70 },
    ]);
  });

  test('is that of each item, of a pair for its first model', () => {
    const votes = times(20, (row) => [voteOf(row, '2'), voteOf(row, 'tie', { itemNo: 1, isRandom: row > 0 })]).flat();
    const panel = times(60, (index) => [0, 0.5, NaN][index % 3] ?? NaN);
    const spec = { kind: 'pairwise' as const, judged: ['a', 'b', 'c'] };
    expect(peopleWith(votes, panel, { rows: 20, spec })?.corrected).toMatchObject([
      { models: ['a', 'b'], rate: near(1 / 22), labels: 20, as_if_labels: 20 },
    ]);
  });
});
