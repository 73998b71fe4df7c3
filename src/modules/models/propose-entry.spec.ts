import type { ModelFacts } from '../providers/model-facts';
import { readCatalog } from './catalog';
import shipped from './catalog.json';
import type { Source } from './catalog-sources';
import { proposeEntry } from './propose-entry';

const CATALOG = readCatalog(shipped);
const TODAY = '2026-11-24';
const source = (name: string, facts: Partial<ModelFacts>, vendor: Source['vendor'] = 'openai'): Source => ({
  name,
  vendor,
  isVendor: name === vendor,
  models: [{ id: 'gpt-9', ...facts }],
});
const PRICES = [{ input: '2', output: '10' }];

describe('proposeEntry', () => {
  test('joins what the sources state, the vendor first, into a valid entry that is marked as unverified', () => {
    const entry = proposeEntry(
      'openai',
      'gpt-9',
      [
        source('openai', { end: '2027-06-01', contextWindow: 5000 }),
        source('https://models.dev/api.json', {
          name: 'GPT 9',
          contextWindow: 1,
          maxOutputTokens: 100,
          efforts: ['low', 'high'],
          takesSchemas: true,
          takesTemperature: false,
          prices: [{ ...PRICES[0], longContext: { aboveInputTokens: 200, input: '4', output: '15' } }],
        }),
      ],
      CATALOG,
      TODAY,
    );
    expect(JSON.parse(JSON.stringify(entry))).toEqual({
      id: 'gpt-9',
      name: 'GPT 9',
      provider: 'OpenAI',
      vendor: 'openai',
      vendorModel: 'gpt-9',
      contextWindow: 5000,
      maxOutputTokens: 100,
      accepts: { temperature: null, responseFormat: 'json_schema' },
      reasoning: { efforts: ['low', 'high'], default: null, mandatory: true },
      dialect: { maxTokensField: 'max_completion_tokens' },
      prices: [
        { from: TODAY, input: '2', output: '10', longContext: { aboveInputTokens: 200, input: '4', output: '15' } },
      ],
      deprecation: { on: '2027-06-01' },
      source: { what: 'Models API of openai; https://models.dev/api.json', seen: TODAY },
      unverified: true,
    });
    expect(readCatalog([JSON.parse(JSON.stringify(entry))])[0]?.unverified).toBe(true);
  });

  test('writes announced steps as periods, and hours across midnight as two', () => {
    const prices = [
      { input: '1', output: '1' },
      { from: '2026-08-17', ...PRICES[0] },
      { from: '2027-01-01', input: '4', output: '20' },
      { hours: { from: '22:00', until: '02:00' }, input: '3', output: '15' },
    ];
    const hours = [
      { from: '22:00', until: '24:00', input: '3', output: '15' },
      { from: '00:00', until: '02:00', input: '3', output: '15' },
    ];
    expect(
      JSON.parse(JSON.stringify(proposeEntry('openai', 'gpt-9', [source('t', { prices })], CATALOG, TODAY))),
    ).toMatchObject({
      prices: [
        { from: TODAY, until: '2026-12-31', input: '2', output: '10', hours },
        { from: '2027-01-01', input: '4', output: '20', hours },
      ],
    });
  });

  test.each([
    [{ efforts: ['none', 'low'] }, { efforts: ['none', 'low'], default: null, mandatory: false }],
    [
      { efforts: ['low'], isMandatory: false, defaultEffort: 'low' },
      { efforts: ['none', 'low'], default: 'low', mandatory: false },
    ],
    [
      { efforts: ['none', 'low'], isMandatory: true },
      { efforts: ['low'], default: null, mandatory: true },
    ],
  ] as const)('writes %j as a valid way of thinking', ({ efforts, ...facts }, reasoning) => {
    expect(
      proposeEntry(
        'openai',
        'gpt-9',
        [source('t', { ...facts, efforts: [...efforts], prices: PRICES })],
        CATALOG,
        TODAY,
      ),
    ).toMatchObject({ reasoning });
  });

  test('gives a model of a reseller its vendor as prefix', () => {
    expect(
      proposeEntry(
        'openrouter',
        'qwen/gpt-9',
        [{ ...source('openrouter', { prices: PRICES }, 'openrouter'), models: [{ id: 'qwen/gpt-9', prices: PRICES }] }],
        CATALOG,
        TODAY,
      ),
    ).toMatchObject({ id: 'openrouter/gpt-9', vendorModel: 'qwen/gpt-9' });
  });

  test.each<[string, string, Source[], string]>([
    ['an unknown vendor', 'acme', [], 'acme is no vendor of the catalog.'],
    [
      'a model that no source knows',
      'openai',
      [source('t', { id: 'other', prices: PRICES })],
      'No source knows gpt-9 of openai',
    ],
    [
      'a model of another vendor',
      'openai',
      [source('t', { prices: PRICES }, 'groq')],
      'No source knows gpt-9 of openai',
    ],
    ['a model without a price', 'openai', [source('openai', {})], 'No source states a price of gpt-9; give --prices.'],
    [
      'a price that cannot be read',
      'openai',
      [source('t', { prices: [{ input: 'unreadable', output: '1' }] })],
      'gpt-9.prices.0.input: must be a string with dollars',
    ],
    ['a price of zero', 'openai', [source('t', { prices: [{ input: '0', output: '0' }] })], 'is zero'],
    ['half a price', 'openai', [source('t', { prices: [{ input: '2' }] })], 'gpt-9.prices.0.output'],
  ])('refuses %s', (_, vendor, sources, message) => {
    expect(() => proposeEntry(vendor, 'gpt-9', sources, CATALOG, TODAY)).toThrow(message);
  });
});
