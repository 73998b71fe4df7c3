import { isAmountName, parseJson, withQuotedAmounts } from './amounts';

// The texts whose amounts both clients read are test/fixtures/client-vectors/answers.json.
describe('parseJson', () => {
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
