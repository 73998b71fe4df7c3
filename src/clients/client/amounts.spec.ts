import { isAmountName, parseJson, withQuotedAmounts } from './amounts';

const TEXTS: [text: string, exact: unknown][] = [
  ['{"cost_usd":0.12345678901234567890123}', { cost_usd: '0.12345678901234567890123' }],
  [
    '{"total_cost_usd" : 1e-7, "input_per_1m":15, "latency_ms":12}',
    { total_cost_usd: '1e-7', input_per_1m: '15', latency_ms: 12 },
  ],
  ['{"charge_usd":{"least":0.1,"most":-2.50}}', { charge_usd: { least: '0.1', most: '-2.50' } }],
  [
    '{"monthly_spend_limit_usd":null,"details":[{"cost_usd":0}]}',
    { monthly_spend_limit_usd: null, details: [{ cost_usd: '0' }] },
  ],
  [
    '{"output":"\\"cost_usd\\":0.5, {\\"cost_usd\\": 1}","note":"cost_usd"}',
    { output: '"cost_usd":0.5, {"cost_usd": 1}', note: 'cost_usd' },
  ],
  [
    '{"cost_usd":{"mean":1e-7,"ci":[1,2],"of":{"n":3.10},"note":"}"},"latency_ms":{"mean":5},"rate":0.5}',
    { cost_usd: { mean: '1e-7', ci: [1, 2], of: { n: '3.10' }, note: '}' }, latency_ms: { mean: 5 }, rate: 0.5 },
  ],
  [
    '[{"cost_usd":{"before":{},"after":0}},{"after":1},{"most":[{"n":2}],"p":{"q":{}},"n":3}]',
    [{ cost_usd: { before: {}, after: '0' } }, { after: 1 }, { most: [{ n: 2 }], p: { q: {} }, n: 3 }],
  ],
  ['["cost_usd",1,{"cost_usd_note":3}]', ['cost_usd', 1, { cost_usd_note: 3 }]],
  [JSON.stringify({ output: '\\'.repeat(501), cost_usd: 5 }), { output: '\\'.repeat(501), cost_usd: '5' }],
];

describe('parseJson', () => {
  it.each(TEXTS)('keeps the digits of every amount: %s', (text, exact) => {
    expect(parseJson(text, 'text')).toEqual(exact);
    expect(JSON.parse(withQuotedAmounts(text))).toEqual(exact);
  });

  it('reads amounts as numbers where that is asked for', () => {
    expect(parseJson('{"cost_usd":0.1,"models":[]}', 'number')).toEqual({ cost_usd: 0.1, models: [] });
  });

  it('reads an answer of a million characters without the source of numbers', () => {
    const text = JSON.stringify({ output: '"\\'.repeat(500_000), cost_usd: 1 });
    expect(JSON.parse(withQuotedAmounts(text))).toMatchObject({ cost_usd: '1' });
  });
});

describe('isAmountName', () => {
  it.each(['cost_usd', 'reserved_usd', 'cached_input_per_1m', 'least', 'most'])('%s is one', (name) =>
    expect(isAmountName(name)).toBe(true),
  );
  it.each(['margin', 'usd', 'tokens_per_second', 'min', 'latency_ms', 'almost'])('%s is none', (name) =>
    expect(isAmountName(name)).toBe(false),
  );
});
