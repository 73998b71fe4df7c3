import {
  checksText,
  countPassed,
  countVerdicts,
  definitionsOf,
  inclusionsOf,
  samplesOf,
  verdictsOf,
  type Verdict,
} from './evaluated';

const verdict = (outcome: Verdict['outcome']): Verdict => ({
  name: 'n',
  type: 'finished',
  outcome,
  score: undefined,
  reason: undefined,
});

describe('samplesOf', () => {
  it.each([
    [{ samples: 5 }, 5],
    [{}, 1],
    [undefined, 1],
    [{ samples: 0 }, 1],
    [{ samples: 1.5 }, 1],
    [{ samples: '5' }, 1],
    [{ samples: 1e9 }, 1],
  ])('of %j is %i', (options, count) => expect(samplesOf(options)).toBe(count));
});

describe('verdictsOf', () => {
  it('reads what is a verdict', () => {
    expect(
      verdictsOf({
        checks: [
          { name: 'a', type: 'regex', outcome: 'fail', score: 0, reason: 'not found' },
          { name: 'b', outcome: 'maybe' },
          null,
          { outcome: 'pass' },
        ],
      }),
    ).toEqual([{ name: 'a', type: 'regex', outcome: 'fail', score: 0, reason: 'not found' }]);
  });
  it.each([undefined, {}, { checks: 'x' }])('finds none in %j', (result) => expect(verdictsOf(result)).toEqual([]));
});

describe('countVerdicts', () => {
  it('counts what could not be decided as not passed, and leaves out what was skipped', () => {
    expect(countVerdicts((['pass', 'fail', 'error', 'skipped'] as const).map(verdict))).toEqual({ passed: 1, of: 3 });
    expect(countVerdicts([verdict('skipped')])).toBeUndefined();
  });
});

describe('countPassed', () => {
  const answer = (...outcomes: Verdict['outcome'][]) => ({ checks: outcomes.map(verdict) });
  it('counts answers as the service does: one failed check decides, and an undecided answer does not count', () => {
    expect(
      countPassed([
        answer('pass', 'pass'),
        answer('pass', 'fail'),
        answer('error', 'fail'),
        answer('pass', 'error'),
        answer('skipped'),
        undefined,
      ]),
    ).toEqual({ passed: 1, of: 3 });
    expect(countPassed([{}, answer('skipped'), answer('error')])).toBeUndefined();
  });
});

describe('definitionsOf', () => {
  it('are those of the eval', () =>
    expect(definitionsOf({ checks: { definitions: [{ type: 'finished' }] } })).toEqual([{ type: 'finished' }]));
  it.each([undefined, {}, { checks: [] }])('of %j are none', (stored) => expect(definitionsOf(stored)).toEqual([]));
});

describe('inclusionsOf', () => {
  it.each([
    [{}, { details: true }],
    [{ options: { samples: 1 } }, { details: true }],
    [
      { options: { samples: 2 }, checks: [] },
      { details: true, checks: true, statistics: true },
    ],
  ])('of %j are %j', (request, inclusions) => {
    expect(inclusionsOf(request)).toEqual(inclusions);
  });
});

describe('checksText', () => {
  const answer = (...outcomes: Verdict['outcome'][]) => ({ checks: outcomes.map((outcome) => verdict(outcome)) });
  it.each([
    [[answer('pass', 'fail')], '✗', 'fails 1 of 2 checks'],
    [[answer('fail')], '✗', 'fails 1 of 1 check'],
    [[answer('pass', 'pass')], '✓', 'passes 2 of 2 checks'],
    [[answer('pass', 'error')], '✗', 'passes 1 of 2 checks'],
    [[answer('pass'), answer('fail'), answer('skipped')], '✗', '1 of 2 answers pass'],
    [[answer('pass', 'pass'), answer('pass', 'pass')], '✓', '2 of 2 answers pass'],
  ])('of one answer counts checks, of several answers: %j', (results, sign, words) =>
    expect(checksText(results)).toEqual({ sign, words }),
  );
  it('says nothing without checks', () =>
    expect([checksText([{}]), checksText([answer('skipped')]), checksText([{}, {}]), checksText([])]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]));
});
