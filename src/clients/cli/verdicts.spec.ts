import stringWidth from 'string-width';
import type { Result } from '../client/client';
import { painter } from './text';
import { hasFailedCheck, verdictLines, verdictWords } from './verdicts';

type Verdicts = NonNullable<Result['checks']>;

const VERDICTS = [
  { name: 'greeting', outcome: 'pass' },
  { name: 'short', outcome: 'fail', reason: 'It is 52 words long.' },
  { name: 'pattern', outcome: 'error', reason: 'It took\ntoo \u001b[2Jlong.' },
  { name: 'schema', outcome: 'skipped', reason: 'The model gave no answer.' },
] as Verdicts;

describe('The verdicts of checks', () => {
  it('are a line each, with the reason where there is one, and harmless', () => {
    expect(verdictLines(VERDICTS, 80, painter(false))).toEqual([
      '✓ greeting',
      '✗ short: It is 52 words long.',
      '? pattern: It took too ␛[2Jlong.',
      '- schema: The model gave no answer.',
    ]);
  });

  it.each([1, 5, 12, 24])('are cut to a column of %s', (width) => {
    const lines = verdictLines(VERDICTS, width, painter(false));
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });

  it('differ in color', () => {
    const colors = verdictLines(VERDICTS, 80, painter(true)).map((line) => /^\u001b\[(\d+)m/.exec(line)?.[1]);
    expect(colors).toEqual(['32', '31', '33', '2']);
  });

  it('are words in a column for programs', () => {
    expect([verdictWords(VERDICTS), verdictWords([]), verdictWords()]).toEqual([
      'greeting pass, short fail, pattern error, schema skipped',
      '',
      '',
    ]);
  });

  it.each([
    ['pass', false],
    ['skipped', false],
    ['fail', true],
    ['error', true],
  ])('make an answer a failed one where one of them is %s: %s', (outcome, isFailed) => {
    const results = [{ checks: [] }, {}, { checks: [VERDICTS[0], { name: 'x', outcome }] }] as unknown as Result[];
    expect(hasFailedCheck(results)).toBe(isFailed);
  });
});
