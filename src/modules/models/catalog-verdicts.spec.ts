import type { ModelFacts, StatedPrice } from '../providers/model-facts';
import { readCatalog, type Model } from './catalog';
import { findingsOf, verdictsOn } from './catalog-verdicts';

/** A Tuesday. */
const NOW = new Date('2026-11-24T12:00:00.000Z');
const ENTRY = {
  id: 'gpt',
  name: 'GPT',
  provider: 'OpenAI',
  vendor: 'openai',
  vendorModel: 'gpt',
  contextWindow: 1000,
  maxOutputTokens: 100,
  accepts: { temperature: null },
  dialect: { maxTokensField: 'max_tokens' },
  prices: [
    {
      from: '2026-01-01',
      input: '2',
      cachedInput: '0.1',
      cacheWrite: '2',
      output: '10',
      longContext: { aboveInputTokens: 200, input: '4', output: '15' },
    },
  ],
  reasoning: { efforts: ['none', 'low', 'high'], default: 'low', mandatory: false },
  source: { what: 'us', seen: '2026-11-20' },
};
const PRICE: StatedPrice = {
  input: '2',
  cachedInput: '0.1',
  cacheWrite: '2',
  output: '10',
  longContext: { aboveInputTokens: 200, input: '4', output: '15' },
};

function modelWith(change: object = {}): Model {
  const [model] = readCatalog([{ ...ENTRY, ...change }]);
  if (model === undefined) throw new Error('The entry is gone.');
  return model;
}

function verdicts(
  facts: Partial<ModelFacts> | undefined,
  { entry = {}, isVendor = true, now = NOW }: { entry?: object; isVendor?: boolean; now?: Date } = {},
): string[] {
  const models = facts === undefined ? [] : [{ id: 'gpt', ...facts }];
  return verdictsOn(
    [modelWith(entry)],
    { sources: [{ name: 'it', vendor: 'openai', isVendor, models }], unasked: [] },
    now,
  ).map(({ source, kind, message }) => `${source} ${kind} ${message}`.trim());
}

describe('verdictsOn', () => {
  test.each<[string, Partial<ModelFacts> | undefined, string[]]>([
    [
      'a model that is as in the catalog',
      {
        contextWindow: 1000,
        maxOutputTokens: 100,
        efforts: ['low', 'high'],
        defaultEffort: 'low',
        isMandatory: false,
        prices: [PRICE],
      },
      ['it equal'],
    ],
    ['a model of which only the name is known', {}, ['it equal states no price']],
    ['a dated form of the name', { id: 'models/gpt-2026-11-17' }, ['it equal states no price']],
    ['a missing model', undefined, ['it missing is not in the list of its vendor']],
    [
      'another model',
      { id: 'gpt-mini', listedSince: '2026-11-01' },
      ['it missing is not in the list of its vendor', 'it unlisted is not in the catalog; listed since 2026-11-01'],
    ],
    [
      'a retired model',
      { isRetired: true, end: '2026-11-01', contextWindow: 1 },
      ['it retired is retired since 2026-11-01'],
    ],
    ['an unknown end', { end: '2028-01-01' }, ['it end ends on 2028-01-01, here never']],
    [
      'other limits',
      { contextWindow: 999, maxOutputTokens: 101 },
      ['it limits context window 999, here 1000', 'it limits output limit 101, here 100'],
    ],
    [
      'other efforts',
      { efforts: ['low', 'max'], defaultEffort: 'high', isMandatory: true },
      [
        'it efforts efforts low max, here high low',
        'it efforts default effort high, here low',
        'it efforts thinking is mandatory true, here false',
      ],
    ],
    [
      'other rates',
      { prices: [{ ...PRICE, input: '2.1', cachedInput: undefined, cacheWrite: '2.5' }] },
      ['it price input 2.1, here 2', 'it price cache write 2.5, here 2'],
    ],
    [
      'a rate that cannot be read',
      { prices: [{ ...PRICE, output: 'unreadable' }] },
      ['it price output unreadable, here 10'],
    ],
    [
      'another threshold',
      { prices: [{ ...PRICE, longContext: { aboveInputTokens: 300, input: '4', output: '15' } }] },
      ['it price long context above 300, here 200'],
    ],
    [
      'other rates of long context',
      { prices: [{ ...PRICE, longContext: { aboveInputTokens: 200, input: '5', output: '15' } }] },
      ['it price long context: input 5, here 4'],
    ],
    ['no long context', { prices: [{ ...PRICE, longContext: undefined }] }, ['it equal']],
  ])('reports %s', (_, facts, expected) => {
    expect(verdicts(facts)).toEqual(expected);
  });

  test.each<[string, Partial<ModelFacts>, string[]]>([
    ['of 179 days ago', { id: 'gpt-new', listedSince: '2026-05-29' }, ['listed since 2026-05-29']],
    ['of 181 days ago', { id: 'gpt-old', listedSince: '2026-05-27' }, []],
    ['without a day', { id: 'models/gpt-new' }, ['the vendor gives no day']],
    ['in the catalog under another version', { id: 'gpt-2026-11-17', listedSince: '2026-11-17' }, []],
    ['that is retired', { id: 'gpt-new', isRetired: true }, []],
    ['of another kind', { id: 'gpt-new-tts' }, []],
    ['with a name that is no name', { id: 'gpt new' }, []],
  ])('finds a model %s', (_, facts, expected) => {
    const found = (vendor: 'openai' | 'openrouter', isVendor: boolean) =>
      verdictsOn(
        [modelWith()],
        { sources: [{ name: 'it', vendor, isVendor, models: [{ id: 'gpt' }, { id: 'x', ...facts }] }], unasked: [] },
        NOW,
      ).filter(({ kind }) => kind === 'unlisted');
    expect(found('openai', true).map(({ model, message }) => [model, message])).toEqual(
      expected.map((since) => [facts.id?.replace('models/', ''), `is not in the catalog; ${since}`]),
    );
    expect([...found('openai', false), ...found('openrouter', true)]).toEqual([]);
  });

  test('asks tables for prices only, and misses nothing in them', () => {
    expect(
      verdicts(
        { end: '2028-01-01', contextWindow: 1, efforts: [], prices: [{ ...PRICE, input: '3' }] },
        { isVendor: false },
      ),
    ).toEqual(['it price input 3, here 2']);
    expect(verdicts(undefined, { isVendor: false })).toEqual(['it unknown is not there']);
  });

  test.each([
    ['2026-12-23', ['catalog end ends on 2026-12-23', 'it end ends on 2026-12-23']],
    ['2026-12-25', ['it equal states no price']],
    // It has ended, and is not compared.
    ['2026-11-24', []],
  ])('reports an end within 30 days, also a known one: %s', (on, expected) => {
    expect(verdicts({ end: on }, { entry: { deprecation: { on } } })).toEqual(expected);
  });

  describe('of announced steps', () => {
    const steps = [PRICE, { ...PRICE, from: '2027-01-01', input: '4' }];
    const announced = {
      prices: [
        { ...ENTRY.prices[0], until: '2026-12-31' },
        { ...ENTRY.prices[0], from: '2027-01-01', input: '4' },
      ],
    };

    test.each<[string, object, StatedPrice[], string[]]>([
      ['known to both', announced, steps, ['it equal']],
      ['unknown here', {}, steps, ['it price input 4, here 2 (from 2027-01-01)']],
      ['unknown there', announced, [PRICE], ['it equal']],
      [
        'with another rate',
        announced,
        [PRICE, { ...PRICE, from: '2027-01-01', input: '5' }],
        ['it price input 5, here 4 (from 2027-01-01)'],
      ],
      [
        'which began in the past',
        {},
        [
          { ...PRICE, input: '1' },
          { ...PRICE, from: '2026-11-24' },
        ],
        ['it equal'],
      ],
      [
        'beyond the last price',
        { prices: [{ ...ENTRY.prices[0], until: '2026-12-31' }] },
        steps,
        ['it price has no price here (from 2027-01-01)'],
      ],
    ])('compares those %s', (_, entry, prices, expected) => {
      expect(verdicts({ prices }, { entry })).toEqual(expected);
    });
  });

  describe('of hours', () => {
    const peak = { from: '01:00', until: '04:00' };
    const hours = (weekdays?: number[]) => ({
      prices: [{ ...ENTRY.prices[0], hours: [{ ...peak, ...(weekdays && { weekdays }), input: '6', output: '30' }] }],
    });
    const stated = (input: string, span = peak) => [
      PRICE,
      {
        ...PRICE,
        hours: span,
        input,
        output: '30',
        cachedInput: undefined,
        cacheWrite: undefined,
        longContext: undefined,
      },
    ];

    test.each<[string, object, StatedPrice[], string[]]>([
      ['the same', hours(), stated('6'), ['it equal']],
      ['of other rates', hours(), stated('7'), ['it price input 7, here 6 (at 01:00 UTC)']],
      [
        'of another end',
        hours(),
        stated('6', { from: '01:00', until: '05:00' }),
        ['it price input 6, here 2 (at 04:00 UTC)', 'it price output 30, here 10 (at 04:00 UTC)'],
      ],
      ['only here', hours(), [PRICE], ['it equal']],
      [
        'only there',
        {},
        stated('6'),
        ['it price input 6, here 2 (at 01:00 UTC)', 'it price output 30, here 10 (at 01:00 UTC)'],
      ],
      [
        'across midnight',
        {
          prices: [
            {
              ...ENTRY.prices[0],
              hours: [
                { from: '00:00', until: '02:00', input: '6', output: '30' },
                { from: '22:00', until: '24:00', input: '6', output: '30' },
              ],
            },
          ],
        },
        stated('6', { from: '22:00', until: '02:00' }),
        ['it equal'],
      ],
      // The table has no weekdays, so it is compared on the next day with hours here: a Saturday.
      ['on some weekdays', hours([6]), stated('6'), ['it equal']],
    ])('compares hours that are %s', (_, entry, prices, expected) => {
      expect(verdicts({ prices }, { entry })).toEqual(expected);
    });
  });

  test('does not apply the hours of a later price today', () => {
    const later: StatedPrice = { ...PRICE, from: '2027-01-01', input: '9', hours: { from: '10:00', until: '12:00' } };
    expect(verdicts({ prices: [PRICE, later] })).toEqual(['it price input 9, here 2 (from 2027-01-01) (at 10:00 UTC)']);
  });

  test('reports a source that gave no answer first, and counts it among the findings', () => {
    const all = verdictsOn([modelWith()], { sources: [], unasked: [{ name: 'openai', reason: 'answers 500' }] }, NOW);
    expect(all).toEqual([{ model: '-', source: 'openai', kind: 'unasked', message: 'answers 500' }]);
    expect(findingsOf(all)).toEqual(all);
  });

  test('compares a model with sources of the same vendor only', () => {
    expect(
      verdictsOn(
        [modelWith({ vendor: 'groq' })],
        { sources: [{ name: 'openai', vendor: 'openai', isVendor: true, models: [] }], unasked: [] },
        NOW,
      ),
    ).toEqual([]);
  });
});
