import { once } from './docs-page';

describe('A file that is read once', () => {
  test('is read again by the next reader after a failure, and not after a success', async () => {
    const results = [new Error('too many open files'), Buffer.from('page'), Buffer.from('never read')];
    const load = async () => {
      const result = results.shift();
      if (result instanceof Error) throw result;
      return result ?? Buffer.alloc(0);
    };
    const read = once(load);
    expect(await Promise.allSettled([read(), read()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect((await Promise.all([read(), read()])).map(({ plain }) => plain.toString())).toEqual(['page', 'page']);
    expect((await read()).plain.toString()).toBe('page');
    expect(results).toHaveLength(1);
  });
});
