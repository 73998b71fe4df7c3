import { DEFAULT_PREFS, parsePrefs } from './prefs';

describe('Stored preferences', () => {
  it('are read unchanged', () => {
    const prefs = {
      theme: 'dark',
      formatted: false,
      compact: true,
      blind: true,
      singleKeys: false,
      models: ['sim-swift', 'a/b"<c>'],
    };
    expect(parsePrefs(prefs)).toEqual(prefs);
  });

  it.each([
    undefined,
    {},
    { theme: 'pink', formatted: 'yes', singleKeys: 1, models: 'sim-swift' },
    { models: [1] },
    { models: [''] },
    { models: ['x'.repeat(201)] },
    { models: Array(101).fill('x') },
    { theme: null, models: null },
    { theme: {}, models: {} },
  ])('that are nonsense are as on the first visit: %j', (stored) => {
    expect(parsePrefs(stored)).toEqual(DEFAULT_PREFS);
  });

  it('keep what is good beside what is not', () => {
    expect(parsePrefs({ theme: 'light', models: 7 })).toEqual({ ...DEFAULT_PREFS, theme: 'light' });
  });
});
