import { timeText } from '../../client/time-text';
import { numberText, percentText, rangeText } from './numbers';

describe('percentText', () => {
  it.each([
    [0, '0 %'],
    [1, '100 %'],
    [0.9, '90 %'],
    [0.999, '99 %'],
    [0.001, '1 %'],
    [0.59585, '60 %'],
  ])('of %d is %s', (share, text) => expect(percentText(share)).toBe(text));
});

describe('numberText', () => {
  it.each([
    [0.93456, '0.935'],
    [0.000012345, '0.0000123'],
    [1210.4, '1,210'],
    [42, '42'],
    [12_345.6, '12,346'],
    [-0.5, '-0.5'],
  ])('of %d is %s', (value, text) => expect(numberText(value)).toBe(text));
});

describe('rangeText', () => {
  it('writes a common unit once', () =>
    expect([
      rangeText([0.1, 0.7], percentText),
      rangeText([70, 77], timeText),
      rangeText([900, 1200], timeText),
    ]).toEqual(['10 to 70 %', '70 to 77 ms', '900 ms to 1.20 s']));
  it('is a dash without an interval', () =>
    expect([rangeText(undefined, String), rangeText(null, String), rangeText([1, 2], String)]).toEqual([
      '–',
      '–',
      '1 to 2',
    ]));
});
