import type { Check } from './types';
import { passes, scoreOf, skippedVerdict, sumsByModel, verdictOf, type Verdict } from './verdict';

const CHECK: Check = { name: 'a', type: 'finished', weight: 1, not: false };
const HALF: Check = {
  name: 'b',
  type: 'similarity',
  value: 'x',
  min: 0.5,
  metric: 'levenshtein',
  weight: 3,
  not: false,
};
const verdict = (outcome: Verdict['outcome'], score: number | null): Verdict => ({
  name: 'a',
  type: 'finished',
  outcome,
  score,
});

describe('A verdict', () => {
  it('passes without a reason, fails with one, and is turned around by `not`', () => {
    const [met, unmet] = [
      { isMet: true, observed: 'It is.' },
      { isMet: false, observed: 'It is not.' },
    ];
    expect(verdictOf(CHECK, met)).toEqual({ name: 'a', type: 'finished', outcome: 'pass', score: 1 });
    expect(verdictOf(CHECK, unmet)).toEqual({
      name: 'a',
      type: 'finished',
      outcome: 'fail',
      score: 0,
      reason: 'It is not.',
    });
    expect(verdictOf({ ...CHECK, not: true }, met)).toEqual({
      name: 'a',
      type: 'finished',
      outcome: 'fail',
      score: 0,
      reason: 'It is.',
    });
    expect(verdictOf({ ...CHECK, not: true }, unmet)).toEqual({
      name: 'a',
      type: 'finished',
      outcome: 'pass',
      score: 1,
    });
  });

  it('has the similarity as its score, with `not` what is missing from 1, in six digits', () => {
    const found = { isMet: true, score: 2 / 3, observed: '' };
    expect([verdictOf(HALF, found).score, verdictOf({ ...HALF, not: true }, found)]).toEqual([
      0.666667,
      { name: 'b', type: 'similarity', outcome: 'fail', score: 0.333333, reason: '' },
    ]);
  });

  it('is an error without a score when nothing was decided, also with `not`, and skipped when the model failed', () => {
    expect(verdictOf({ ...CHECK, not: true }, { undecided: 'It took longer than 500 ms.' })).toEqual({
      name: 'a',
      type: 'finished',
      outcome: 'error',
      score: null,
      reason: 'It took longer than 500 ms.',
    });
    expect(skippedVerdict(CHECK)).toEqual({
      name: 'a',
      type: 'finished',
      outcome: 'skipped',
      score: null,
      reason: 'The model gave no answer.',
    });
  });
});

describe('A result', () => {
  test.each([
    [['pass', 'pass'], true],
    [['pass', 'fail'], false],
    [['pass', 'error'], false],
    [['skipped', 'skipped'], false],
    [[], true],
  ] as const)('with the outcomes %p passes: %p', (outcomes, isPassed) => {
    expect(passes(outcomes.map((outcome) => verdict(outcome, null)))).toBe(isPassed);
  });

  test.each([
    [[1, 0.5], 0.625],
    [[1, null], 1],
    [[null, 0.5], 0.5],
    [[null, null], null],
    [[0, 0], 0],
  ])('with the scores %p, weighed 1 and 3, scores %p', (scores, score) => {
    expect(
      scoreOf(
        scores.map((one) => verdict(one === null ? 'error' : 'pass', one)),
        [CHECK, HALF],
      ),
    ).toBe(score);
  });
});

test('The sums of a model count its verdicts and take the mean of the scores of its results', () => {
  const results = [
    { model: 'a', isAnswered: true, verdicts: [verdict('pass', 1), verdict('fail', 0)] },
    { model: 'b', isAnswered: false, verdicts: [verdict('skipped', null), verdict('skipped', null)] },
    { model: 'a', isAnswered: true, verdicts: [verdict('pass', 1), verdict('error', null)] },
    { model: 'b', isAnswered: false, verdicts: [verdict('skipped', null), verdict('skipped', null)] },
  ];
  expect(sumsByModel(['b', 'a'], results, [CHECK, HALF])).toEqual([
    { model: 'b', passed: 0, failed: 0, errored: 0, score: null },
    { model: 'a', passed: 2, failed: 1, errored: 1, score: 0.625 },
  ]);
});
