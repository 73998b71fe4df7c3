import fc from 'fast-check';
import { Money } from './money';

/** An amount as a whole number of 10^-scale dollars: arithmetic that shares nothing with the one under test. */
interface Rational {
  digits: bigint;
  scale: number;
}

function rational(text: string): Rational {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

function aligned(left: Rational, right: Rational): [bigint, bigint, number] {
  const scale = Math.max(left.scale, right.scale);
  const lift = ({ digits, scale: own }: Rational) => digits * 10n ** BigInt(scale - own);
  return [lift(left), lift(right), scale];
}

function add(left: Rational, right: Rational): Rational {
  const [a, b, scale] = aligned(left, right);
  return { digits: a + b, scale };
}

function subtract(left: Rational, right: Rational): Rational {
  return add(left, { ...right, digits: -right.digits });
}

function multiply(left: Rational, right: Rational): Rational {
  return { digits: left.digits * right.digits, scale: left.scale + right.scale };
}

/** The shortest plain decimal. */
function printed({ digits, scale }: Rational): string {
  const sign = digits < 0n ? '-' : '';
  const all = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = all.slice(0, all.length - scale);
  const fraction = all.slice(all.length - scale).replace(/0+$/, '');
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 14 }))
  .map(([digits, scale]) => printed({ digits, scale }));
const manyTimes = { numRuns: 10_000 };

describe('Money', () => {
  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['1.50', '1.5'],
    ['007', '7'],
    ['100', '100'],
    ['1000000000000000000000', '1000000000000000000000'],
    ['0.000000000001', '0.000000000001'],
    ['-0.10', '-0.1'],
  ])('prints %s as the shortest plain decimal %s', (text, shortest) => {
    expect(Money.of(text).toString()).toBe(shortest);
  });

  test.each([
    '',
    ' ',
    '1e5',
    '1E-7',
    '+1',
    '.5',
    '1.',
    '1,5',
    ' 1',
    '1 ',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '--1',
    '1.2.3',
    '$1',
    '１',
  ])('rejects %j, which is no plain decimal', (text) => {
    expect(() => Money.of(text)).toThrow(
      expect.objectContaining({ name: 'RangeError', message: 'An amount must be a plain decimal.' }) as Error,
    );
  });

  test('rejects arithmetic with a JavaScript number, which types alone do not prevent', () => {
    const float = Money.of(0.1 as unknown as string);
    expect(() => Money.zero.plus(float)).toThrow('Invalid value');
    expect(() => Money.zero.minus(float)).toThrow('Invalid value');
    expect(() => Money.zero.compare(float)).toThrow('Invalid value');
  });

  test.each([
    ['0.1', '0.2', '0.3'],
    ['0.7', '0.1', '0.8'],
    ['1.1', '2.2', '3.3'],
    ['0.00028275', '0.0009048', '0.00118755'],
    ['9007199254740993', '0.000000000001', '9007199254740993.000000000001'],
  ])('adds %s and %s to exactly %s', (left, right, sum) => {
    expect(Money.of(left).plus(Money.of(right)).toString()).toBe(sum);
  });

  test.each([
    ['0.3', '0.1', '0.2'],
    ['1', '0.9', '0.1'],
    ['0.1', '0.3', '-0.2'],
    ['5', '5', '0'],
  ])('subtracts, from %s, the amount %s and gives exactly %s', (left, right, rest) => {
    expect(Money.of(left).minus(Money.of(right)).toString()).toBe(rest);
  });

  // A million tokens cost the price itself, so each figure is tokens × price with the decimal point moved by six
  // digits.
  test.each([
    ['0.15', 1885, '0.00028275'],
    ['0.6', 1508, '0.0009048'],
    ['0.075', 7, '0.000000525'],
    ['0.000001', 1, '0.000000000001'],
    ['75', 16_384, '1.2288'],
    ['2.5', 1_000_000, '2.5'],
    ['10', 0, '0'],
    ['0', 12_345, '0'],
  ])('prices, at %s per million, %d tokens at exactly %s', (price, tokens, cost) => {
    expect(Money.of(price).perMillion(tokens).toString()).toBe(cost);
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses to price %p tokens', (count) => {
    expect(() => Money.of('1').perMillion(count)).toThrow(RangeError);
  });

  test('multiplies by a decimal and by a whole count without rounding', () => {
    expect(Money.of('0.00118755').times('1.4').toString()).toBe('0.00166257');
    expect(Money.of('0.1').times(3n).toString()).toBe('0.3');
    expect(Money.of('0.333333333333').times('0.123456').toString()).toBe('0.041151999999958848');
  });

  test.each([
    ['1', 3, '0.333333333333'],
    ['2', 3, '0.666666666667'],
    ['0.000000000001', 2, '0.000000000001'],
    ['0.000000000001', 3, '0'],
    ['-2', 3, '-0.666666666667'],
    ['270', 50_000, '0.0054'],
    ['9007199254740993', 1, '9007199254740993'],
    ['10000000000000000000.5', 2, '5000000000000000000.25'],
  ])('divides %s by %d to %s, rounded to 12 decimals', (amount, count, quotient) => {
    expect(Money.of(amount).dividedBy(count).toString()).toBe(quotient);
  });

  test('divides by whole numbers only', () => {
    expect(() => Money.of('1').dividedBy(0.5)).toThrow(RangeError);
    expect(() => Money.of('1').dividedBy(0)).toThrow('Division by zero');
  });

  test('sums an empty list to zero and a thousand times ten cents to a hundred dollars', () => {
    expect(Money.sum([]).toString()).toBe('0');
    expect(Money.sum(Array.from({ length: 1000 }, () => Money.of('0.1'))).toString()).toBe('100');
  });

  test('leaves its operands unchanged', () => {
    const price = Money.of('0.15');
    price.plus(price).minus(Money.of('7')).times('3').perMillion(12);
    expect(price.toString()).toBe('0.15');
    expect(Money.zero.toString()).toBe('0');
  });

  test.each([
    ['0.1', '0.2', -1],
    ['0.30', '0.3', 0],
    ['-0', '0', 0],
    ['-1', '-2', 1],
    ['0.000000000002', '0.000000000001', 1],
    ['9007199254740992', '9007199254740993', -1],
  ])('compares %s with %s as %d', (left, right, order) => {
    expect(Math.sign(Money.of(left).compare(Money.of(right)))).toBe(order);
  });

  test('agrees with an independent exact arithmetic on sums, differences, products and order', () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const [a, b] = [rational(left), rational(right)];
        expect(Money.of(left).plus(Money.of(right)).toString()).toBe(printed(add(a, b)));
        expect(Money.of(left).minus(Money.of(right)).toString()).toBe(printed(subtract(a, b)));
        expect(Money.of(left).times(right).toString()).toBe(printed(multiply(a, b)));
        const [x, y] = aligned(a, b);
        expect(Math.sign(Money.of(left).compare(Money.of(right)))).toBe(x < y ? -1 : x > y ? 1 : 0);
      }),
      manyTimes,
    );
  });

  test('agrees with an independent exact arithmetic on prices per million', () => {
    fc.assert(
      fc.property(decimal, fc.maxSafeNat(), (price, tokens) => {
        const exact = multiply(rational(price), { digits: BigInt(tokens), scale: 6 });
        expect(Money.of(price).perMillion(tokens).toString()).toBe(printed(exact));
      }),
      manyTimes,
    );
  });

  test('sums a list to the same amount in any order', () => {
    fc.assert(
      fc.property(fc.array(decimal, { maxLength: 12 }), (amounts) => {
        const money = amounts.map((text) => Money.of(text));
        expect(Money.sum(money.toReversed()).toString()).toBe(Money.sum(money).toString());
        expect(Money.sum(money).toString()).toBe(printed(amounts.map(rational).reduce(add, { digits: 0n, scale: 0 })));
      }),
    );
  });
});

describe('Money in JSON', () => {
  test.each([
    ['0', '0'],
    ['0.000000000001', '0.000000000001'],
    ['0.0000000525', '0.0000000525'],
    ['123456789012345678901234567890.1', '123456789012345678901234567890.1'],
    ['0.30', '0.3'],
  ])('prints %s as the number %s, without exponent and without quotes', (text, digits) => {
    expect(JSON.stringify({ amounts: [Money.of(text)] })).toBe(`{"amounts":[${digits}]}`);
  });

  test('prints 0.1 + 0.2 as 0.3', () => {
    expect(JSON.stringify(Money.of('0.1').plus(Money.of('0.2')))).toBe('0.3');
  });

  test('prints every amount with exactly its digits, as a JSON number that parses', () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const text = JSON.stringify(Money.of(left).times(right));
        expect(text).toBe(printed(multiply(rational(left), rational(right))));
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
        expect(typeof JSON.parse(text)).toBe('number');
      }),
      manyTimes,
    );
  });
});
