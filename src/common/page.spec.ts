import { paginate } from './page';

const idOf = (id: string): string => id;

describe('A page', () => {
  test('of fewer or as many as it may hold is the last one', () => {
    expect(paginate([], 2, idOf)).toEqual({ items: [], next: undefined });
    expect(paginate(['c'], 2, idOf)).toEqual({ items: ['c'], next: undefined });
    expect(paginate(['c', 'b'], 2, idOf)).toEqual({ items: ['c', 'b'], next: undefined });
  });

  test('leaves the one more that was found to the next page, which begins after its own last', () => {
    expect(paginate(['c', 'b', 'a'], 2, idOf)).toEqual({ items: ['c', 'b'], next: 'b' });
  });
});
