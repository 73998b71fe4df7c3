import { type CheckDraft, checkOf, draftOf, parseCheckDrafts } from './check-drafts';

const bodyOf = (draft: CheckDraft) => {
  const made = checkOf(draft);
  return 'body' in made ? made.body : made.problem;
};

describe('checkOf', () => {
  it.each<[CheckDraft, object]>([
    [{ type: 'finished' }, { type: 'finished' }],
    [
      { type: 'contains', values: 'Paris\n\n of France', mode: 'any', ignore_case: 'true' },
      { type: 'contains', values: ['Paris', ' of France'], mode: 'any', ignore_case: true },
    ],
    [
      { type: 'equals', value: ' x ', trim: 'false', name: 'same', weight: '2', not: 'true' },
      { type: 'equals', value: ' x ', trim: false, name: 'same', weight: 2, not: true },
    ],
    [
      { type: 'contains', values: 'a', at: 'start' },
      { type: 'contains', values: ['a'], at: 'start' },
    ],
    [
      { type: 'label', values: 'billing\nlost parcel', ignore_case: 'true' },
      { type: 'label', values: ['billing', 'lost parcel'], ignore_case: true },
    ],
    [
      { type: 'contains', values: ' ' },
      { type: 'contains', values: [' '] },
    ],
    [
      { type: 'regex', pattern: '^a+$', flags: 'i' },
      { type: 'regex', pattern: '^a+$', flags: 'i' },
    ],
    [
      { type: 'json', schema: '{"type":"object"}' },
      { type: 'json', schema: { type: 'object' } },
    ],
    [
      { type: 'number', value: '-42.5', tolerance: '.5', which: '' },
      { type: 'number', value: -42.5, tolerance: 0.5 },
    ],
    [
      { type: 'length', max: ' 20 ', unit: 'words' },
      { type: 'length', max: 20, unit: 'words' },
    ],
    [
      { type: 'similarity', value: 'x', min: '0.8' },
      { type: 'similarity', value: 'x', min: 0.8 },
    ],
    [
      { type: 'latency', max_ms: '500', of: 'first_token' },
      { type: 'latency', max_ms: 500, of: 'first_token' },
    ],
    [
      { type: 'cost', max_usd: '0.0001' },
      { type: 'cost', max_usd: 0.0001 },
    ],
  ])('makes of %j the check of the service', (draft, body) => expect(bodyOf(draft)).toEqual(body));

  it.each<[CheckDraft, string]>([
    [{ type: 'contains' }, '“Words” is empty'],
    [{ type: 'label' }, '“Labels” is empty'],
    [{ type: 'similarity', value: 'x' }, '“At least” is empty'],
    [{ type: 'length', unit: 'words' }, '“At least” and “At most” are empty'],
    [{ type: 'number', value: 'many' }, 'value is not a number such as 0.8'],
    [{ type: 'cost', max_usd: '1e3' }, 'max_usd is not a number such as 0.8'],
    [{ type: 'finished', weight: 'x' }, 'weight is not a number such as 0.8'],
    [{ type: 'json', schema: '{' }, 'schema is not valid JSON'],
  ])('does not send %j', (draft, problem) => expect(bodyOf(draft)).toBe(problem));

  it('leaves out members of another type, which stay in the form while it is changed', () =>
    expect(bodyOf({ type: 'finished', values: 'x' })).toEqual({ type: 'finished' }));
});

describe('draftOf', () => {
  it.each<object>([
    { type: 'contains', values: ['a', 'b'], mode: 'any' },
    { type: 'equals', value: 'x', trim: false, not: true, name: 'mine' },
    { type: 'json', schema: { type: 'object' } },
    { type: 'number', value: 0 },
    { type: 'finished', weight: 0.5 },
  ])('gives the form again that made %j', (body) =>
    expect(bodyOf(draftOf(body) ?? { type: 'finished' })).toEqual(body),
  );

  it('leaves out the name that the service made of the position, since checks move', () => {
    expect(draftOf({ type: 'finished', name: 'finished-2' })).toEqual({ type: 'finished' });
    expect(draftOf({ type: 'finished', name: 'finished-well' })).toEqual({ type: 'finished', name: 'finished-well' });
  });

  it('leaves empty what the service has as null', () =>
    expect(draftOf({ type: 'length', min: null, max: 5 })).toEqual({ type: 'length', max: '5' }));

  it.each([undefined, null, 'x', {}, { type: 'rubric' }, { type: 'toString' }])('knows nothing of %p', (check) =>
    expect(draftOf(check)).toBeUndefined(),
  );
});

describe('parseCheckDrafts', () => {
  it('keeps valid checks from any source', () => {
    expect(parseCheckDrafts([{ type: 'regex', pattern: 'a', flags: 7 }, { type: 'other' }, null, 'x'])).toEqual([
      { type: 'regex', pattern: 'a' },
    ]);
    expect(parseCheckDrafts('x')).toEqual([]);
    expect(parseCheckDrafts(Array.from({ length: 30 }, () => ({ type: 'finished' })))).toHaveLength(20);
  });
});
