import { markOf } from './model-mark';

const initials = (...models: string[]) => models.map((model) => markOf(model, models).initial);
const colors = (...models: string[]) => models.map((model) => markOf(model, models).color);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('The mark of a model', () => {
  it.each([
    [
      ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'],
      ['Sw', 'Sa', 'Qu', 'Ti'],
    ],
    [
      ['sim-swift', 'sim-sage', 'sim-sage@low'],
      ['Sw', 'Sa', 'Sl'],
    ],
    [
      ['gpt-5@low', 'gpt-5@high'],
      ['Lo', 'Hi'],
    ],
    [
      ['gpt-5@low', 'gpt-5@high', 'claude-sonnet'],
      ['Gl', 'Gh', 'Cl'],
    ],
    [
      ['gpt-5', 'gpt-5@high'],
      ['Gp', 'Hi'],
    ],
    [
      ['a', 'A'],
      ['A', '2'],
    ],
    [['sim-swift'], ['Si']],
    [
      ['', '---', '\u202e'],
      ['1', '2', '3'],
    ],
    [
      ['\u202egpt', 'שלום-a', 'שלום-b'],
      ['Gp', 'שa', 'שb'],
    ],
    [
      ['👩‍👩‍👧‍👦-x', '🇩🇪y'],
      ['👩‍👩‍👧‍👦x', 'Y'],
    ],
    [
      ['\ud800model', 'z\ud83d'],
      ['Mo', 'Z'],
    ],
    [
      ['ﬀx', 'ßy'],
      ['ﬀx', 'ßy'],
    ],
  ])('has initials that differ: %j', (models, expected) => expect(initials(...models)).toEqual(expected));

  it('is short for any name, and has no part of a letter', () => {
    const names = [
      'x'.repeat(200),
      `${'x'.repeat(200)}y`,
      `a${'\u0301'.repeat(300)}b`,
      '<img src=x onerror=alert(1)>',
      '__proto__',
      'constructor',
      'a\0b',
      '%F0%9F',
      ...range(40).map((at) => `model-${at}`),
    ];
    const found = initials(...names);
    expect(new Set(found).size).toBe(names.length);
    for (const initial of found)
      expect([initial, [...new Intl.Segmenter().segment(initial)].length <= 2, initial.isWellFormed()]).toEqual([
        initial,
        true,
        true,
      ]);
  });

  it('has the same color beside any other models, unless two of them share it', () => {
    expect(colors('sim-swift', 'sim-sage', 'sim-quill', 'sim-titan')).toEqual([3, 1, 5, 2]);
    for (const model of ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'])
      expect(colors(model)).toEqual([
        colors('sim-titan', 'sim-quill', 'sim-sage', 'sim-swift')[
          ['sim-titan', 'sim-quill', 'sim-sage', 'sim-swift'].indexOf(model)
        ],
      ]);
  });

  it('has eight colors for eight models, and one of eight for more', () => {
    for (const start of range(50))
      expect(new Set(colors(...range(8).map((at) => `model ${start * 8 + at}`))).size).toBe(8);
    for (const color of colors(...range(40).map(String))) expect(range(8).map((at) => at + 1)).toContain(color);
  });

  it('exists for a model that is not among the shown models, and for a model that is shown twice', () => {
    expect(markOf('other', ['sim-swift'])).toEqual({ color: colors('other')[0], initial: 'Ot' });
    expect(initials('sim-swift', 'sim-swift')).toEqual(['Si', 'Si']);
  });
});
