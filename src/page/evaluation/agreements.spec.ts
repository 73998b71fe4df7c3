import { agreementOf, groupSentence } from './agreements';

describe('agreementOf', () => {
  it('reads the matrix row by row', () => {
    const view = agreementOf({
      models: ['a', 'b'], matrix: [[{ agree: 1, similarity: 1 }, { agree: 0.4, similarity: 0.7 }], [{ agree: false, similarity: 0.7 }, null]], groups: [['a'], ['b']], consensus: { share: 0.5, models: ['a'] },
    });
    expect(view).toEqual({
      models: ['a', 'b'], matrix: [[{ agree: 1, similarity: 1 }, { agree: 0.4, similarity: 0.7 }], [{ agree: 0, similarity: 0.7 }, { agree: undefined, similarity: undefined }]],
      groups: [['a'], ['b']], consensus: { share: 0.5, models: ['a'] },
    });
  });
  it.each([undefined, {}, { models: ['a'], matrix: [[{}]] }, { models: ['a', 'b'] }])('finds nothing to compare in %j', (answer) => expect(agreementOf(answer)).toBeUndefined());
});

describe('groupSentence', () => {
  it.each([
    [[['a'], ['b'], ['c']], 'No two models agree.'], [[['a', 'b', 'c']], 'All models agree.'], [[['a'], ['b', 'c']], 'b and c agree.'],
    [[], 'No two models agree.'],
  ])('of %j is: %s', (groups, sentence) => expect(groupSentence({ models: ['a', 'b', 'c'], groups })).toBe(sentence));
  it('names every group of several', () => {
    expect(groupSentence({ models: ['a', 'b', 'c', 'd', 'e'], groups: [['d', 'e'], ['a', 'b', 'c']] })).toBe('a, b and c agree; d and e agree.');
  });
});
