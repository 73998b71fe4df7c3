import type { Model } from '../../../client/client';
import {
  callable,
  describeModel,
  endText,
  filterModels,
  idsOf,
  modelNotes,
  reasonNotToChoose,
  toggleModel,
  withFirst,
} from './model-list';

describe('idsOf', () => {
  const model = (reasoning: unknown) => ({ id: 'a', details: { reasoning } }) as unknown as Model;
  it.each([
    [{ efforts: ['high', 'low', 'new'] }, ['a', 'a@low', 'a@high']],
    [null, ['a']],
    [{ efforts: 'low' }, ['a']],
    [undefined, ['a']],
  ])('of %j are %j', (reasoning, ids) => expect(idsOf(model(reasoning))).toEqual(ids));
});

function model(id: string, details: object = {}): Model {
  const all = { accepts: { temperature: { min: 0, max: 1 } }, max_output_tokens: 1000, deprecation: null, ...details };
  return {
    id,
    name: `Name of ${id}`,
    provider: 'Vendor',
    input_per_1m: '1',
    output_per_1m: '2',
    details: all,
  } as unknown as Model;
}
const EIGHT = ['1', '2', '3', '4', '5', '6', '7', '8'];

describe('filterModels', () => {
  const models = [model('gpt-6-luna'), model('claude-haiku')];
  it.each([
    ['', 2],
    ['  ', 2],
    ['LUNA', 1],
    ['vendor', 2],
    ['name haiku', 1],
    ['luna haiku', 0],
    ['.*', 0],
  ])('%p finds %i of two', (search, count) => expect(filterModels(models, search)).toHaveLength(count));
});

describe('withFirst', () => {
  it('puts the chosen ones first and changes no other order', () => {
    expect(
      withFirst(
        ['a', 'b', 'c', 'd'].map((id) => model(id)),
        ['d', 'b', 'x'],
      ).map(({ id }) => id),
    ).toEqual(['b', 'd', 'a', 'c']);
  });
});

describe('toggleModel', () => {
  it('adds at the end and takes away', () => {
    expect(toggleModel(['a'], 'b')).toEqual(['a', 'b']);
    expect(toggleModel(['a', 'b', 'c'], 'b')).toEqual(['a', 'c']);
  });
  it('adds no ninth', () => expect(toggleModel(EIGHT, '9')).toEqual(EIGHT));
});

describe('reasonNotToChoose', () => {
  it.each([
    ['a', [], null, undefined],
    ['9', EIGHT, null, 'At most 8 models are compared at once.'],
    ['8', EIGHT, null, undefined],
    ['a', [], ['b'], 'This key may not call this model.'],
    ['b', [], ['b'], undefined],
  ])('of %p with %j chosen and %j allowed is %p', (id, chosen, allowed, reason) =>
    expect(reasonNotToChoose({ id }, chosen, allowed)).toBe(reason),
  );
});

describe('modelNotes', () => {
  const none = model('n', { accepts: { temperature: null } });
  const thinking = model('a', { reasoning: { efforts: ['high', 'low'], default: 'low', mandatory: true } });
  it.each([
    [none, '', '', []],
    [none, '0.7', '', ['accepts no temperature; it is left out']],
    [model('a'), '0.7', '1000', []],
    [model('a'), '1.5', '', ['accepts a temperature from 0 to 1; the nearest value is sent']],
    [model('a'), '', '1001', ['writes at most 1,000 tokens']],
    [model('a', { max_output_tokens: null }), '', '9999', []],
    [model('a'), 'warm', '-', []],
  ])('of %# for %p and %p', (asked, temperature, maxTokens, notes) =>
    expect(modelNotes(asked, { temperature, maxTokens, effort: 'max' })).toEqual(notes),
  );
  it.each([
    ['', []],
    ['low', []],
    ['max', ['has no effort max; the nearest of low, high is sent']],
  ])('of a model that thinks, for the effort %p', (effort, notes) =>
    expect(modelNotes(thinking, { temperature: '', maxTokens: '', effort })).toEqual(notes),
  );
  it('says nothing about a model without details', () => {
    expect(modelNotes({ ...none, details: undefined }, { temperature: '1', maxTokens: '1', effort: '' })).toEqual([]);
    expect(modelNotes(model('a', { accepts: undefined }), { temperature: '1', maxTokens: '1', effort: '' })).toEqual(
      [],
    );
  });
});

describe('describeModel', () => {
  it('says the limits that are known', () => {
    expect(describeModel(model('a', { context_window: 400_000 }))).toBe(
      'Name of a, Vendor · reads up to 400,000 tokens · writes up to 1,000 tokens',
    );
    expect(describeModel(model('a', { context_window: null, max_output_tokens: null }))).toBe('Name of a, Vendor');
  });
});

describe('endText', () => {
  it.each([
    [null, undefined],
    [{ on: '2027-01-01', successor: null }, 'The vendor retires this model on 2027-01-01'],
    [{ on: '2027-01-01', successor: 'b' }, 'The vendor retires this model on 2027-01-01; successor: b'],
  ])('of %j is %p', (deprecation, text) => {
    expect(endText(model('a', { deprecation }))).toBe(text);
  });
});

describe('callable', () => {
  it('leaves out what is not listed or not allowed, and a ninth', () => {
    expect(callable(['a', 'gone', 'b'], [model('a'), model('b')], ['b'])).toEqual(['b']);
    expect(
      callable(['a@low', 'a@none', 'b@low'], [model('a', { reasoning: { efforts: ['low'] } }), model('b')], ['a', 'b']),
    ).toEqual(['a@low']);
    expect(
      callable(
        [...EIGHT, '9'],
        [...EIGHT, '9'].map((id) => model(id)),
        null,
      ),
    ).toEqual(EIGHT);
  });
});
