import { timeText } from './time-text';

describe('timeText', () => {
  it.each([
    [-5, '0 ms'],
    [0.4, '0 ms'],
    [11, '11 ms'],
    [33.5, '34 ms'],
    [408.4, '408 ms'],
    [999, '999 ms'],
    [999.6, '1.00 s'],
    [1210, '1.21 s'],
    [9996, '10.00 s'],
    [101_404, '101.40 s'],
  ])('of %d ms is %s', (ms, text) => expect(timeText(ms)).toBe(text));
});
