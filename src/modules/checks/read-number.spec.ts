import { isWithin } from './read-number';

test.each([
  ['1234.5', 1234.5, 0, true],
  ['-2', -2, 0, true],
  ['2', 2, 0, true],
  ['0.3', 0.1, 0.2, true],
  ['0.30000000000000004', 0.1, 0.2, false],
  ['1e3', 1000, 0, true],
  ['1e9999', 1, 1e15, false],
  ['1e-9999', 0, 0, true],
  ['.5', 0.5, 0, true],
])('Whether %s is within %d ± %d: %p', (value, expected, tolerance, isNear) => {
  expect(isWithin(value, expected, tolerance)).toBe(isNear);
});
