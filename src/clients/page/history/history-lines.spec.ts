import { promptLine, timeOfId } from './history-lines';

describe('promptLine', () => {
  it.each([
    ['a\n\n b\tc ', 'a b c'],
    ['', ''],
    ['x'.repeat(300), 'x'.repeat(300)],
    ['x'.repeat(128_000), `${'x'.repeat(300)}…`],
    [`${'x'.repeat(299)}😀y`, `${'x'.repeat(299)}\ufffd…`],
  ])('of %j', (prompt, line) => expect(promptLine(prompt)).toBe(line));
});

describe('timeOfId', () => {
  it.each([
    ['eval_01k9z3h8e00000000000000000', '2025-11-13T17:17:12.000Z'],
    ['eval_0000000000zzzzzzzzzzzzzzzz', '1970-01-01T00:00:00.000Z'],
    ['eval_zzzzzzzzzz0000000000000000', undefined],
    ['eval_1', undefined],
    ['', undefined],
    ['eval_01K9Z3H8E00000000000000000', undefined],
  ])('of %s is %s', (id, time) => expect(timeOfId(id)).toBe(time));
});
