import stringWidth from 'string-width';
import { tableLines, tabSeparated, type Table } from './table';
import { painter } from './text';

const EVALS: Table = {
  head: ['eval', 'created', 'prompt', 'models', 'cost'],
  lines: [
    [
      'eval_01m80hnr7cra628arq2msyxb94',
      '2026-11-22 02:34',
      'Say {input} in French,\nas if it were 日本語 \u001b[31m',
      'sim-swift,sim-sage',
      '$0.00013',
    ],
    ['eval_01m80hnr7cra628arq2msyxb95', '2026-11-22 02:35', 'Hello', 'sim-swift', '$10.50'],
  ],
  right: [4],
  flexible: 2,
  optional: [3],
};

/** A name, a gap, and one wide character. */
const NARROWEST = 12;

describe('A table', () => {
  it.each([1, 20, 40, 60, 80, 120, 200])('is never wider than a terminal of %s columns, nor harmful', (width) => {
    const lines = tableLines(EVALS, width, painter(false));
    for (const line of lines) {
      expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(width, NARROWEST));
      expect(line).not.toMatch(/[\u0000-\u001f]/);
    }
    if (width >= 40) expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it('cuts what gives way to two lines, also where all is one below the other', () => {
    const lines = tableLines({ ...EVALS, lines: [['eval_1', '', 'word '.repeat(5000), '', '$1']] }, 20, painter(false));
    expect(lines.length).toBeLessThan(12);
    expect(lines.join(' ')).toContain('…');
  });

  it('of no lines is its head', () => {
    expect(tableLines({ ...EVALS, lines: [] }, 80, painter(false))).toEqual(['eval  created  prompt  models  cost']);
  });

  it('for programs has a line each, whatever is in it, and every column', () => {
    const lines = tabSeparated(EVALS);
    expect(lines.map((line) => line.split('\t').length)).toEqual([5, 5, 5]);
    expect(lines[1]).toContain('Say {input} in French,\\nas if');
  });
});
