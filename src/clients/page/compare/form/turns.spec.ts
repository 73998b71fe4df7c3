import { isTurn, turnsAfter } from './turns';

describe('turnsAfter', () => {
  const history = [{ role: 'user' as const, content: '{input}, {input}' }];

  it('puts the input into the turns and the prompt', () => {
    expect(turnsAfter({ prompt: 'Say {input}', input: '$& {input}', models: [], options: { history } }, 'A')).toEqual([
      { role: 'user', content: '$& {input}, $& {input}' },
      { role: 'user', content: 'Say $& {input}' },
      { role: 'assistant', content: 'A' },
    ]);
  });

  it('appends the input to a prompt that does not name it, and changes nothing without one', () => {
    expect(turnsAfter({ prompt: 'Say', input: 'x', models: [] }, 'A')[0]?.content).toBe('Say\n\nx');
    const inTurns = turnsAfter({ prompt: 'Say', input: 'x', models: [], options: { history } }, 'A');
    expect(inTurns.map(({ content }) => content)).toEqual(['x, x', 'Say', 'A']);
    const turns = turnsAfter({ prompt: 'Say {input}', models: [], options: { history } }, 'A');
    expect(turns.map(({ content }) => content)).toEqual(['{input}, {input}', 'Say {input}', 'A']);
  });
});

describe('isTurn', () => {
  it.each([
    [{ role: 'user', content: '' }, true],
    [{ role: 'system', content: 'x' }, false],
    [{ role: 'user', content: 1 }, false],
    [null, false],
  ])('of %j is %p', (value, is) => expect(isTurn(value)).toBe(is));
});
