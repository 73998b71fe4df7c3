import { groupSentence } from './agreement';

describe('groupSentence', () => {
  it.each([
    [[['a'], ['b'], ['c']], 'No two models agree.'],
    [[['a', 'b', 'c']], 'All models agree.'],
    [[['a'], ['b', 'c']], 'b and c agree.'],
    [[], 'No two models agree.'],
  ])('of %j is: %s', (groups, sentence) => expect(groupSentence({ models: ['a', 'b', 'c'], groups })).toBe(sentence));
  it('names every group of several', () => {
    expect(
      groupSentence({
        models: ['a', 'b', 'c', 'd', 'e'],
        groups: [
          ['d', 'e'],
          ['a', 'b', 'c'],
        ],
      }),
    ).toBe('a, b and c agree; d and e agree.');
  });
});
