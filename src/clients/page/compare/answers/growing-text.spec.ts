import { splitAppended } from './growing-text';

const long = (letter: string) => letter.repeat(400);

describe('splitAppended', () => {
  it('keeps short lines together', () => expect(splitAppended(0, 'a\n\nb\nc')).toEqual(['a\n\nb\nc']));
  it('ends a block at the first line break after 400 characters', () => {
    expect(splitAppended(0, `${long('a')}\n\nb`)).toEqual([long('a'), '\nb']);
    expect(splitAppended(399, 'a\nb')).toEqual(['a', 'b']);
    expect(splitAppended(398, 'a\nb')).toEqual(['a\nb']);
    expect(splitAppended(5000, 'a')).toEqual(['a']);
    expect(splitAppended(5000, '\nb')).toEqual(['', 'b']);
  });
  it.each([1, 7, 400, 100_000])('gives the whole text again, however it comes: in pieces of %i', (size) => {
    const text = Array.from(
      { length: 500 },
      (_, i) => `${'word '.repeat((i * 7) % 90)}\n${i % 3 === 0 ? '\n' : ''}`,
    ).join('');
    const blocks = [''];
    for (let at = 0; at < text.length; at += size) {
      const [first = '', ...rest] = splitAppended(blocks.at(-1)?.length ?? 0, text.slice(at, at + size));
      blocks[blocks.length - 1] += first;
      blocks.push(...rest);
    }
    expect(blocks.join('\n')).toBe(text);
    expect(blocks.length).toBeGreaterThan(100);
  });
});
