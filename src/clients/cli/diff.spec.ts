import { computing } from '../../../test/support/timing';
import { wordDifferences } from './diff';
import { painter } from './text';

describe('wordDifferences', () => {
  it('marks what was added and removed, and counts words', () => {
    expect(wordDifferences('the quick brown fox', 'the slow brown fox jumps', painter(false))).toEqual({
      text: 'the [-quick-]{+slow+} brown fox{+ jumps+}',
      sides: [['the [-quick-] brown fox', 'the {+slow+} brown fox{+ jumps+}']],
      added: 2,
      removed: 1,
    });
  });

  it('of equal texts are none, and what is harmful stays harmless', () => {
    expect(wordDifferences('a \u001b[2J', 'a \u001b[2J', painter(false))).toEqual({
      text: 'a ␛[2J',
      sides: [['a ␛[2J', 'a ␛[2J']],
      added: 0,
      removed: 0,
    });
  });

  it('puts lines that both texts have beside each other again', () => {
    expect(wordDifferences('one\ntwo\nthree', 'zero\nand one\ntwo\nthree', painter(false))?.sides.at(-1)).toEqual([
      'three',
      'three',
    ]);
  });

  it('with colors, ends every style at the end of its line', () => {
    const found = wordDifferences('a', 'a\nnew line\nand another', painter(true));
    for (const line of (found?.text ?? '').split('\n').slice(1)) expect(line).toMatch(/^\u001b\[\d+m.*\u001b\[\d+m$/);
  });

  it('end in time', () => {
    const words = (seed: number) => Array.from({ length: 60_000 }, (_, i) => `w${(i * seed) % 9973}`).join(' ');
    expect(computing(() => wordDifferences(words(7), words(5), painter(false))).ms).toBeLessThan(10_000);
  });
});
