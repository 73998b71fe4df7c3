import { isMore } from './amount-units';

describe('isMore', () => {
  it.each([
    ['0.011', '0.01', true],
    ['0.01', '0.010', false],
    ['10', '9.99', true],
    ['0', '0.000000000000000000001', false],
  ])('%s than %s: %s', (left, right, more) => expect(isMore(left, right)).toBe(more));
});
