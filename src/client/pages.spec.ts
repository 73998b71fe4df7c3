import { queryOfNextPage } from './pages';

describe('queryOfNextPage', () => {
  it.each([
    ['</api/v1/evals?limit=2&cursor=eval_1>; rel="next"', { limit: '2', cursor: 'eval_1' }],
    ['<https://elsewhere.example/?cursor=a%26b>;rel=next', { cursor: 'a&b' }],
    ['</first>; rel="prev", </api/v1/evals?cursor=c>; title="x"; rel="next"', { cursor: 'c' }],
  ])('reads %s', (link, query) => expect(queryOfNextPage(link)).toEqual(query));

  it.each([null, '', '</a?b=c>; rel="prev"', 'rel="next"'])('finds no next page in %p', (link) => expect(queryOfNextPage(link)).toBeUndefined());
});
