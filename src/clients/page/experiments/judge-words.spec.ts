import type { JudgeExamination, Judgment } from '../../client/client';
import { correctedRows, examinationRows, judgeOf, peopleText, ratesOf } from './judge-words';

type People = NonNullable<Judgment['people']>;

const JUDGE: JudgeExamination = {
  model: 'sim-sage',
  verdicts: 1800,
  unreadable: 2,
  order_consistency: { rate: 0.94, ci: [0.9, 0.97] },
  flipped: 12,
  first_won: { rate: 0.7, ci: [0.6, 0.8] },
  position_biased: true,
  longer_won: null,
  decoys: 5,
  decoys_passed: 1,
  gullible: true,
  self_pairs: 3,
  self_ties: 3,
  own_vendor: ['sim-swift', 'sim-titan'],
  own_vendor_advantage: { difference: 0.04, ci: [-0.01, 0.09] },
  agreement: { with_judges: null, with_people: { kappa: 0.71, accuracy: 0.86, ci: [0.78, 0.92], labels: 100 } },
  rates: [],
};
const PEOPLE: People = {
  votes: 100,
  voters: 3,
  ranking: [{ model: 'b', rate: 0.5, ci: null }],
  agreement: { kappa: null, voted_twice: 0 },
  corrected: [],
};
const people = (members: Partial<People>) => peopleText({ ...PEOPLE, ...members });

describe('The examination of judges', () => {
  it('is said in words', () =>
    expect(examinationRows([JUDGE]).map(([name, , texts]) => [name, ...texts])).toEqual([
      ['Verdicts read', '1,800 of 1,802'],
      ['Both orders agree', '94 % (90 to 97 %)'],
      ['Answer 1 won', '70 % (60 to 80 %)'],
      ['Decoys that it passed', '1 of 5'],
      ['The same answer twice called equal', '3 of 3'],
      ['Agreement with people', 'κ 0.71, 86 % (78 to 92 %), 100 votes'],
      ['Judged models of its vendor', 'sim-swift, sim-titan: 4 (-1 to 9) points'],
    ]));

  it('has a column for each judge, and nothing of orders for a rubric', () => {
    const rubric: JudgeExamination = {
      ...JUDGE,
      order_consistency: null,
      first_won: null,
      position_biased: false,
      self_pairs: 0,
      own_vendor: [],
      own_vendor_advantage: null,
      agreement: { with_judges: null, with_people: null },
    };
    const rows = examinationRows([rubric, { ...rubric, longer_won: { rate: 0.5, ci: null } }]);
    expect(rows.map(([name, , texts]) => [name, ...texts])).toEqual([
      ['Verdicts read', '1,800 of 1,802', '1,800 of 1,802'],
      ['The longer answer won', undefined, '50 %'],
      ['Decoys that it passed', '1 of 5', '1 of 5'],
      ['Agreement with people', 'no votes yet', 'no votes yet'],
    ]);
  });
});

describe('People', () => {
  it.each([
    [{}, '100 votes by 3 people.'],
    [{ votes: 1, voters: 1 }, '1 vote by 1 person.'],
    [{ agreement: { kappa: 0.7, voted_twice: 12 } }, '100 votes by 3 people. People agree with κ 0.70.'],
  ])('%j are said to be %j', (members, text) => expect(people(members)).toBe(text));

  it('correct rates', () => {
    const rate = { models: ['a', 'b'], rate: 0.6, ci: [0.5, 0.7] as [number, number], labels: 40, as_if_labels: 83 };
    expect(correctedRows({ ...PEOPLE, corrected: [rate] })).toEqual([
      ['a over b', 'as exact as 83 votes', ['60 % (50 to 70 %)']],
    ]);
  });
});

it('shows rates by each source that has some, for every model of one', () => {
  const judgment: Judgment = {
    of: 'exp_1',
    kind: 'pairwise',
    cautions: [],
    win_rates: [{ model: 'a', rate: 0.75, ci: [0.5, 0.9] }],
    without_own_vendor: null,
    judges: [],
    people: PEOPLE,
  };
  expect(ratesOf(judgment)).toEqual({
    heads: ['Expected wins', 'By people'],
    rows: [
      ['a', '', ['75 % (50 to 90 %)', undefined]],
      ['b', '', [undefined, '50 %']],
    ],
  });
  expect(ratesOf({ ...judgment, win_rates: [], people: null })).toEqual({ heads: [], rows: [] });
});

describe('The form of a judge', () => {
  it('is a judge once it is complete', () => {
    expect(judgeOf('pairwise', 'Right.', 'c')).toEqual({ kind: 'pairwise', criterion: 'Right.', models: ['c'] });
    expect([judgeOf('rubric', ' ', 'c'), judgeOf('rubric', 'Right.', '')]).toEqual([undefined, undefined]);
  });
});
