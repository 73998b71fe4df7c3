import { computing } from '../../test/support/timing';
import { isWithin, numbersIn } from './read-number';

test.each([
  ['1,234.5', ['1,234.5']], ['1e3', ['1e3']], ['\u22122', ['\u22122']], ['12 %', ['12']], ['12%', ['12']], ['It is 42.', ['42']], ['-7 and +8', ['-7', '+8']], ['3-5', ['3', '5']], ['.5', ['.5']], ['$1,234,567.89', ['1,234,567.89']],
  ['1, 2, 3', ['1', '2', '3']], ['10ms', ['10']], ['v1.2.3', []], ['H2O', []], ['gpt-4o', ['4']], ['none', []], ['1'.repeat(61), []], ['1'.repeat(60), ['1'.repeat(60)]], ['2.5E-3', ['2.5E-3']], ['(99)', ['99']], ['12:30', ['12', '30']],
])('The numbers in %j are %j', (text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers);
});

test.each([['1,234.5', 1234.5, 0, true], ['\u22122', -2, 0, true], ['+2', 2, 0, true], ['0.3', 0.1, 0.2, true], ['0.30000000000000004', 0.1, 0.2, false], ['1e3', 1000, 0, true], ['1e9999', 1, 1e15, false], ['1e-9999', 0, 0, true], ['.5', 0.5, 0, true]])(
  'Whether %s is within %d ± %d: %p', (written, value, tolerance, isNear) => {
    expect(isWithin(written, value, tolerance)).toBe(isNear);
  });

test('Long texts of digits and commas are read in a time that grows with their length', () => {
  const read = (text: string) => computing(() => numbersIn(text)).ms;
  for (const piece of ['1', '1,234,', '12,', '1.', '-', '1e']) {
    const [short, long] = [read(piece.repeat(20_000)), read(piece.repeat(400_000))];
    // Twenty times as long; a time that grew with the square would be 400 times as long. A short one counts as 5 ms.
    expect(long / Math.max(5, short)).toBeLessThan(150);
  }
});
