import fc from 'fast-check';
import { Money } from '../../../common/money';
import { keepSource, withExactAmounts } from './exact-amounts';

const read = (json: string) => {
  const parsed = JSON.parse(json) as object;
  keepSource(parsed, json);
  return withExactAmounts(parsed) as Record<string, unknown>;
};
const amountOf = (written: string) => read(`{"max_cost_usd":${written}}`)['max_cost_usd'];

describe('The amounts of a JSON text', () => {
  it.each([
    ['0.1', '0.1'],
    ['1e-7', '0.0000001'],
    ['1E+3', '1000'],
    ['0.1e1', '1'],
    ['-0', '0'],
    ['-0.0e-999', '0'],
    ['0e999', '0'],
    ['1.50000000000000000000', '1.5'],
    ['100000000000000000000', '100000000000000000000'],
    ['0.000123456789', '0.000123456789'],
    ['1.2e-11', '0.000000000012'],
    ['123456789.012345', '123456789.012345'],
    ['-999999999.999999', '-999999999.999999'],
    ['999999999999999e-12', '999.999999999999'],
  ])('include %s, exactly as %s', (written, exactly) => {
    expect(Money.fromNumber(amountOf(written) as number).compare(Money.of(exactly))).toBe(0);
  });

  it.each([
    '999999999.999999999999',
    '0.1000000000000001',
    '1.234567890123456',
    '-1.234567890123456',
    '1234567890123456',
    '12345678901234560000',
    '1.000000000000000000001e-5',
    '9.999999999999999e22',
    `1${'0'.repeat(20)}.00000000001`,
  ])('exclude %s, which a JavaScript number cannot represent', (written) => {
    expect(amountOf(written)).toBeNaN();
  });

  it.each(['1e-400', '-1e-400', '0.0001e-330', `0.${'0'.repeat(400)}1`])('exclude %s, which is not zero', (written) => {
    expect(amountOf(written)).toBe(Number.MIN_VALUE);
  });

  it('are exact or NaN for every JSON number', () => {
    const written = fc
      .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^(0|[1-9]\d{0,11})$/), fc.stringMatching(/^(\.\d{1,14})?$/))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(written, (text) => {
        const value = amountOf(text) as number;
        const significant = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length;
        expect(Number.isNaN(value)).toBe(significant > 15);
        if (!Number.isNaN(value)) expect(Money.fromNumber(value).compare(Money.of(text))).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('are found at any depth and with any spelling of their name, and nothing else is changed', () => {
    const json =
      '{"a":[{"max_cost_\\u0075sd":0.12345678901234567}],"text":"0.12345678901234567","temperature":0.30000000000000004,"amount_usd":1.5,"other_usd":"1.2345678901234567"}';
    expect(read(json)).toEqual({
      a: [{ max_cost_usd: NaN }],
      text: '0.12345678901234567',
      temperature: 0.30000000000000004,
      amount_usd: 1.5,
      other_usd: '1.2345678901234567',
    });
  });

  it('are found behind a byte order mark, which the parser of bodies skips', () => {
    const parsed = { max_cost_usd: 0.12345678901234567 };
    keepSource(parsed, '\uFEFF{"max_cost_usd":0.12345678901234567}');
    expect(withExactAmounts(parsed)).toEqual({ max_cost_usd: NaN });
  });

  it('are not searched for where no number is suspect, nor among more values than a request can have', () => {
    for (const json of [
      '{"max_cost_usd":1.25,"prompt":"1.2.3 e-12"}',
      `{"max_cost_usd":0.12345678901234567,"a":[${'0,'.repeat(11_000)}0]}`,
      `{"max_cost_usd":0.12345678901234567,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `{"max_cost_usd":0.12345678901234567,${Array.from({ length: 11_000 }, (_, index) => `"m${index}":1`).join()}}`,
    ]) {
      const parsed = JSON.parse(json) as object;
      keepSource(parsed, json);
      expect(withExactAmounts(parsed)).toBe(parsed);
    }
    expect(read(`{"max_cost_usd":0.12345678901234567,"a":[${'0,'.repeat(900)}0]}`)['max_cost_usd']).toBeNaN();
  });
});
