import { countText, neighborChange } from './difference-view';
import { differencesOf } from './differences';

describe('differencesOf', () => {
  it('says which words only one of two answers has', () => {
    const found = differencesOf('The quick fox jumps.', 'The slow red fox jumps!');
    expect(found?.parts.map(({ kind, text }) => `${kind[0]}:${text}`)).toEqual([
      's:The ',
      'r:quick',
      'a:slow',
      's: ',
      'a:red ',
      's:fox jumps',
      'r:.',
      'a:!',
    ]);
    expect(found).toMatchObject({ changes: 3, added: 3, removed: 2 });
    expect(found?.parts.map(({ change }) => change)).toEqual([undefined, 0, 0, undefined, 1, undefined, 2, 2]);
  });

  it('gives both texts again, to the last blank', () => {
    const [base, other] = ['a  b\n\nc\td', 'a b\nc d \u202Ee'];
    const parts = differencesOf(base, other)?.parts ?? [];
    expect(
      parts
        .filter(({ kind }) => kind !== 'added')
        .map(({ text }) => text)
        .join(''),
    ).toBe(base);
    expect(
      parts
        .filter(({ kind }) => kind !== 'removed')
        .map(({ text }) => text)
        .join(''),
    ).toBe(other);
  });

  it.each([
    ['', ''],
    ['same', 'same'],
  ])('finds none between %p and %p', (base, other) => {
    const found = differencesOf(base, other);
    expect(found).toMatchObject({ changes: 0, added: 0, removed: 0 });
    expect(found && countText(found)).toBe('the same text');
  });

  it('gives up on long texts that have nothing in common', () => {
    const text = (prefix: string) =>
      Array.from({ length: 30_000 }, (_, i) => `${prefix}${(i * 7919) % 30_011}`).join(' ');
    expect(differencesOf(text('a'), text('b'))).toBeUndefined();
  });
});

describe('countText', () => {
  it('counts words', () =>
    expect(countText({ parts: [], changes: 3, added: 1031, removed: 28 })).toBe('1,031 added, 28 removed'));
});

describe('neighborChange', () => {
  it.each([
    [undefined, 1, 3, 0],
    [undefined, -1, 3, 2],
    [0, 1, 3, 1],
    [2, 1, 3, 0],
    [0, -1, 3, 2],
    [undefined, 1, 0, undefined],
  ] as const)('of %p by %i of %i is %p', (current, step, changes, expected) => {
    expect(neighborChange(current, step, changes)).toBe(expected);
  });
});
