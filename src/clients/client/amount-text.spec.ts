import { parseJson } from './amounts';
import { shortAmount, toApiJson } from './amount-text';

describe('shortAmount', () => {
  it.each([
    ['0', '$0'],
    ['0.00002805', '$0.0000281'],
    ['0.00046005', '$0.00046'],
    ['0.1', '$0.10'],
    ['0.999', '$0.999'],
    ['0.9996', '$1'],
    ['1', '$1'],
    ['1.5', '$1.50'],
    ['12.345', '$12.35'],
    ['99.995', '$100'],
    ['-2.49981849', '-$2.50'],
    ['-0.0000000', '$0'],
    ['0.12345678901234567890123', '$0.123'],
    ['123456789012345678901234567890.1', '$123456789012345678901234567890.10'],
    ['1e-7', '$1e-7'],
  ])('of %s is %s', (exact, short) => expect(shortAmount(exact)).toBe(short));
});

describe('toApiJson', () => {
  it.each([
    '{"cost_usd":0.12345678901234567890123,"output":"a","n":1}',
    '{"charge_usd":{"least":0,"most":-1.50}}',
    '{"cost_usd":null,"output":"\\u0001" }'.replace(' ', ''),
    '{"cost_usd":{"mean":0.10,"ci":[1,2],"of":{"n":3.10},"because":"x"},"latency_ms":{"mean":5},"max_usd":null}',
    '{"output":"{\\"cost_usd\\":\\"\\u00011\\u0001\\"}"}',
  ])('gives %s again, to the last digit', (text) => expect(toApiJson(parseJson(text, 'text'))).toBe(text));
});
