import fc from 'fast-check';
import { computing } from '../../../test/support/timing';
import { lastNumberIn, numbersIn } from './written-numbers';

const written = (text: string) => Array.from(numbersIn(text), (number) => number.written);
const values = (text: string) => Array.from(numbersIn(text), ({ value }) => value);

test.each([
  ['1,234.5', ['1,234.5']],
  ['1e3', ['1e3']],
  ['\u22122', ['\u22122']],
  ['12 %', ['12']],
  ['12%', ['12']],
  ['It is 42.', ['42']],
  ['-7 and +8', ['-7', '+8']],
  ['3-5', ['3', '5']],
  ['.5', ['.5']],
  ['$1,234,567.89', ['1,234,567.89']],
  ['1, 2, 3', ['1', '2', '3']],
  ['10ms', ['10']],
  ['v1.2.3', []],
  ['H2O', []],
  ['gpt-4o', ['4']],
  ['none', []],
  ['1'.repeat(61), []],
  ['1'.repeat(60), ['1'.repeat(60)]],
  ['2.5E-3', ['2.5E-3']],
  ['(99)', ['99']],
  ['12:30', ['12', '30']],
  ['1 000 000', ['1 000 000']],
  ['3\u20135', ['3', '5']],
  ['1,2,3', ['1', '2', '3']],
  ['In 2020 100 people', ['2020', '100']],
  ['1 2 3', ['1', '2', '3']],
  ['1,234,56', ['1,234', '56']],
  ['[1, 2]', ['1', '2']],
  ['\\boxed{42}', ['42']],
])('The numbers in %j are written %j', (text, numbers) => {
  expect(written(text)).toEqual(numbers);
});

test.each([
  ['1 000 000', '1000000'],
  ['1\u00a0000\u00a0000', '1000000'],
  ['1\u2009000\u2009000', '1000000'],
  ['1\u202f000,5', '1000.5'],
  ["1'234", '1234'],
  ['1’234.5', '1234.5'],
  ['1_234', '1234'],
  ['1,234.5', '1234.5'],
  ['1,234', '1234'],
  ['1.234,50 €', '1234.50'],
  ['1.234.567', '1234567'],
  ['1.234', '1.234'],
  ['12,50 €', '12.50'],
  ['0,333', '0.333'],
  ['1.234.567,8', '1234567.8'],
  ['–5', '-5'],
  ['−5', '-5'],
  ['‐5', '-5'],
  ['-$5', '-5'],
  ['+5', '5'],
  ['- 5', '5'],
  ['is—5', '5'],
  ['4２', '42'],
  ['１，２３４．５', '1234.5'],
  ['−1e−3', '-1e-3'],
  ['1e6', '1e6'],
  ['-1.5E+3', '-1.5E+3'],
  ['10 am', '10'],
  ['100°C', '100'],
  ['5 %', '5'],
])('The only number in %j is %s', (text, value) => {
  expect(values(text)).toEqual([value]);
});

test.each([
  '0x2A',
  '0b10',
  '10^6',
  '10^{-6}',
  'x^{2}',
  '10⁶',
  '2½',
  '½',
  '$\\frac{1}{2}$',
  '\\dfrac{3}{4}',
  '\\sqrt{2}',
  '1/2',
  '1⁄2',
  '24/7/365',
  '3x4',
  '3×4',
  '[1]',
  '[12]',
  '[^3]',
  '1.2.3',
  '23.11.2026',
  '192.168.0.1',
  '3 × 10^6',
  '3 \\times 10^6',
  '3·10⁸',
])('In %j there is no number', (text) => {
  expect(values(text)).toEqual([]);
});

test.each([
  ['42 (see [1])', '42'],
  ['42, I am 95% sure', '95'],
  ['3×4=12', '12'],
  ['Either 1/2 or 0.5.', '0.5'],
  ['2^10 = 1024', '1024'],
  ['none', undefined],
])('The last number in %j is %s', (text, value) => {
  expect(lastNumberIn(text)?.value).toBe(value);
});

test('The last number is the same whether it is looked for from the end or after all others', () => {
  const piece = fc.constantFrom(
    '1',
    '23',
    '456',
    ',',
    '.',
    ' ',
    '-',
    '/',
    '[',
    ']',
    'e',
    'x',
    '^',
    '{',
    '}',
    '\n',
    '$',
    'a',
    '\u2009',
    '1,234',
    ' 000',
    '.500',
  );
  const mixed = fc.array(piece, { maxLength: 40 });
  const filler = fc
    .tuple(fc.constantFrom('1 ', 'a', ' ', '1,234 ', '[1]', '/', '1.5, ', 'x', '12 34 ', '-', '1/2 '), fc.nat(1200))
    .map(([text, count]) => text.repeat(count));
  fc.assert(
    fc.property(mixed, filler, mixed, filler, mixed, (...parts) => {
      const text = parts.flat().join('');
      expect(lastNumberIn(text)).toEqual([...numbersIn(text)].at(-1));
    }),
    { numRuns: 100 },
  );
});

test('The last number of a long text is found in the time of a short one', () => {
  const read = (count: number) => computing(() => lastNumberIn('1 '.repeat(count))).ms;
  read(10_000);
  expect(read(1_000_000)).toBeLessThan(5 * Math.max(5, read(10_000)));
});

test('Long texts of digits and separators are read in a time that grows with their length', () => {
  const read = (text: string) => computing(() => [values(text), lastNumberIn(text)]).ms;
  for (const piece of ['1', '1,234,', '12,', '1.', '-', '1e', ' 123', '1/', '[1]', '.123', '0,']) {
    const [short, long] = [read(piece.repeat(2000)), read(piece.repeat(40_000))];
    // Twenty times as long; a time that grew with the square would be 400 times as long. A short one counts as 5 ms.
    expect(long / Math.max(5, short)).toBeLessThan(150);
  }
});
