import { Pages, queryOfNextPage } from './pages';
import { Transport } from './transport';

describe('queryOfNextPage', () => {
  it.each([
    ['</api/v1/evals?limit=2&cursor=eval_1>; rel="next"', { limit: '2', cursor: 'eval_1' }],
    ['<https://elsewhere.example/?cursor=a%26b>;rel=next', { cursor: 'a&b' }],
    ['</first>; rel="prev", </api/v1/evals?cursor=c>; title="x"; rel="next"', { cursor: 'c' }],
  ])('reads %s', (link, query) => expect(queryOfNextPage(link)).toEqual(query));

  it.each([null, '', '</a?b=c>; rel="prev"', 'rel="next"'])('finds no next page in %p', (link) =>
    expect(queryOfNextPage(link)).toBeUndefined(),
  );
});

describe('Pages', () => {
  const SECOND = 'https://api.example/list?limit=1&cursor=eval_1';
  const asked: string[] = [];
  const transport = new Transport({
    baseUrl: 'https://api.example',
    apiKey: 'mcs_test',
    maxRetries: 0,
    fetch: (input) => {
      const url = input as string;
      asked.push(url);
      const isSecond = url === SECOND;
      return Promise.resolve(
        new Response(JSON.stringify({ items: [isSecond ? 2 : 1] }), {
          headers: isSecond ? {} : { link: `<${SECOND}>; rel="next"` },
        }),
      );
    },
  });
  const list = new Pages<{ items: number[] }, number>(transport, { path: '/list', query: { limit: 1 } }, 'items');

  it('open one page at a time, and say where the rest begins', async () => {
    const { page, next } = await list.open();
    expect([page, list.cursor, next?.cursor]).toEqual([{ items: [1] }, undefined, 'eval_1']);
    expect(await next?.open()).toEqual({ page: { items: [2] }, next: undefined });
    // Asking again for the same page is safe.
    expect((await next?.open())?.page).toEqual({ items: [2] });
    expect(asked.at(-1)).toBe(SECOND);
  });

  it('give their elements one after the other', async () => {
    const items: number[] = [];
    for await (const item of list) items.push(item);
    expect(items).toEqual([1, 2]);
  });
});
