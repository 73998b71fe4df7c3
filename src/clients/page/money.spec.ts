import { isNothing, maxAmount, priceRange, shareOf, shortPrice } from './money';

describe('shortPrice', () => {
  it.each([
    ['15', '$15.00'],
    ['0.15', '$0.15'],
    ['0.6', '$0.60'],
    ['0.075', '$0.075'],
    ['2.5', '$2.50'],
    ['0', '$0.00'],
    ['1.005', '$1.01'],
    ['0.12345678901234567890', '$0.123'],
    ['99.99999999999999999999', '$100.00'],
    ['free', '$free'],
  ])('of %s is %s', (exact, short) => expect(shortPrice(exact)).toBe(short));
});

describe('priceRange', () => {
  it.each([
    ['0.00028', '0.0919', '$0.00028 to $0.0919'],
    ['0', '0.0919', '$0 to $0.0919'],
    ['0', '0', 'costs nothing'],
    ['0.000', '0.00', 'costs nothing'],
    ['0.01', '0.010', '$0.01'],
    ['0.0000000000000000001', '0.0000000000000000002', '$0.0000000000000000001 to $0.0000000000000000002'],
  ])('from %s to %s is %s', (least, most, text) => expect(priceRange(least, most)).toBe(text));
});

describe('isNothing', () => {
  it.each([
    ['0', true],
    ['0.000', true],
    ['-0.0', true],
    ['0.0000000000000000001', false],
    ['1', false],
    ['', false],
  ])('of %p is %p', (exact, expected) => expect(isNothing(exact)).toBe(expected));
});

describe('shareOf', () => {
  it.each([
    ['1', '4', 0.25],
    ['0.0000000000000000001', '0.0000000000000000002', 0.5],
    ['5', '4', 1],
    ['-1', '4', 0],
    ['1', '0', 0],
  ])('of %s in %s is %d', (part, whole, share) => expect(shareOf(part, whole)).toBe(share));
});

describe('maxAmount', () => {
  it.each([
    [[], '0'],
    [['0.09', '0.1', '0.0999999999999999999999'], '0.1'],
    [['-1'], '0'],
  ])('of %j is %s', (amounts, most) => expect(maxAmount(amounts)).toBe(most));
});
