import { readPriceTable } from './price-table';

const rates = { input_mtok: 1, output_mtok: 2 };
const pydantic = (prices: unknown, more: object = {}) =>
  JSON.stringify([{ id: 'x-ai', models: [{ id: 'grok', match: { equals: 'grok' }, prices, ...more }] }]);
const pricesOf = (text: string) => readPriceTable(text).get('xai')?.[0]?.prices;

describe('readPriceTable', () => {
  test.each<[string, unknown, object[]]>([
    [
      'flat rates',
      { input_mtok: 0.1, output_mtok: 0.3, cache_read_mtok: 3625e-6, cache_write_mtok: null, web_searches_kcount: 10 },
      [{ input: '0.1', output: '0.3', cachedInput: '0.003625' }],
    ],
    [
      'tiers',
      {
        input_mtok: {
          base: 3,
          tiers: [
            { start: 400_000, price: 9 },
            { start: 200_000, price: 6 },
          ],
        },
        output_mtok: { base: 15, tiers: [{ start: 200_000, price: 22.5 }] },
        cache_read_mtok: 0.3,
      },
      [
        {
          input: '3',
          output: '15',
          cachedInput: '0.3',
          longContext: { aboveInputTokens: 200_000, input: '6', output: '22.5', cachedInput: '0.3' },
        },
      ],
    ],
    [
      'announced steps and hours',
      [
        { prices: rates },
        { constraint: { type: 'start_date', start_date: '2027-01-01' }, prices: { input_mtok: 3, output_mtok: 4 } },
        {
          constraint: { type: 'time_of_date', start_time: '01:00:00Z', end_time: '04:00:00Z' },
          prices: { input_mtok: 5, output_mtok: 6 },
        },
      ],
      [
        { input: '1', output: '2' },
        { from: '2027-01-01', input: '3', output: '4' },
        { hours: { from: '01:00', until: '04:00' }, input: '5', output: '6' },
      ],
    ],
    [
      'anything but a price',
      { input_mtok: -1, output_mtok: 'NaN', cache_read_mtok: 1e300, cache_write_mtok: { base: [], tiers: [] } },
      [{ input: 'unreadable', output: 'unreadable', cachedInput: 'unreadable', cacheWrite: 'unreadable' }],
    ],
  ])('reads %s of genai-prices', (_, prices, expected) => {
    expect(pricesOf(pydantic(prices))).toEqual(expected.map((price) => ({ ...price })));
  });

  test('knows a model of genai-prices by each name that matches as a whole', () => {
    const table = readPriceTable(
      pydantic(rates, { match: { or: [{ equals: 'grok-fast' }, { regex: '(a+)+$' }, { starts_with: 'g' }] } }),
    );
    expect(table.get('xai')?.map(({ id }) => id)).toEqual(['grok', 'grok-fast']);
  });

  test.each<[string, object, object]>([
    [
      'rates',
      { input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 },
      { input: '2', output: '10', cachedInput: '0.1', cacheWrite: '2.5' },
    ],
    [
      'tiers',
      {
        input: 2,
        output: 10,
        tiers: [
          { tier: { type: 'context', size: 500_000 }, input: 8, output: 9 },
          { tier: { size: 272_000 }, input: 4, output: 15 },
        ],
      },
      { input: '2', output: '10', longContext: { aboveInputTokens: 272_000, input: '4', output: '15' } },
    ],
    [
      'the older form of tiers',
      { input: 2, output: 10, context_over_200k: { input: 4, output: 15 } },
      { input: '2', output: '10', longContext: { aboveInputTokens: 200_000, input: '4', output: '15' } },
    ],
    [
      'tiers of no known form',
      { input: 2, output: 10, tiers: [{ tier: 'high' }], context_over_200k: 7 },
      { input: '2', output: '10' },
    ],
  ])('reads %s of models.dev', (_, cost, expected) => {
    const model = {
      id: 'gpt',
      name: 'GPT',
      limit: { context: 1000, output: 100 },
      cost,
      reasoning_options: [{ type: 'effort', values: ['low', 'ultra'] }],
      structured_output: true,
    };
    const table = readPriceTable(
      JSON.stringify({
        openai: { id: 'openai', models: { gpt: model } },
        google: { models: { gemini: { id: 'gemini' } } },
        elsewhere: 7,
      }),
    );
    expect(table.get('openai')).toEqual([
      {
        id: 'gpt',
        name: 'GPT',
        contextWindow: 1000,
        maxOutputTokens: 100,
        efforts: ['low'],
        takesSchemas: true,
        prices: [expected],
      },
    ]);
    expect(table.get('gemini')).toEqual([{ id: 'gemini' }]);
  });

  test.each([
    ['no JSON', '[NaN', 'is not valid JSON'],
    [
      'NaN for a price',
      '[{"id": "openai", "models": [{"id": "gpt", "prices": {"input_mtok": NaN}}]}]',
      'is not valid JSON',
    ],
    ['a text', '"prices"', 'is no price table'],
    ['a list of something else', '[1]', 'is no price table'],
    ['an object of something else', '{"data": []}', 'is no price table'],
    [
      'no vendor of ours',
      JSON.stringify([{ id: 'elsewhere', models: [{ id: 'm', prices: rates }] }]),
      'is no price table',
    ],
    ['a prototype', '{"__proto__": {"models": {"m": {"id": "m"}}}}', 'is no price table'],
  ])('refuses %s', (_, text, reason) => {
    expect(() => readPriceTable(text)).toThrow(reason);
  });
});
