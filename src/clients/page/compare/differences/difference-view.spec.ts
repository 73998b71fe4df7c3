import type { ColumnPhase, ColumnState } from '../run/run';
import { changePair, comparable, firstPair, viewOf } from './difference-view';

const column = (phase: ColumnPhase, text: string) =>
  ({ model: 'm', sample: 0, phase, text, result: undefined, error: undefined }) satisfies ColumnState;
const COLUMNS = [
  column('failed', ''),
  column('ended', 'a b'),
  column('writing', 'x'),
  column('ended', ''),
  column('ended', 'a c'),
];

describe('comparable', () => {
  it('are the answers that ended with text', () => expect(comparable(COLUMNS)).toEqual([1, 4]));
});

describe('firstPair', () => {
  it('is the first two of them', () => expect(firstPair(COLUMNS)).toEqual({ base: 1, other: 4 }));
  it('prefers changes that are in view', () =>
    expect(firstPair([...COLUMNS, column('ended', 'y')], [5, 4])).toEqual({ base: 4, other: 5 }));
  it('is none where there are not two', () => expect(firstPair(COLUMNS.slice(0, 4))).toBeUndefined());
});

describe('changePair', () => {
  it.each([
    [{ base: 2 }, { base: 2, other: 1 }],
    [{ other: 2 }, { base: 0, other: 2 }],
    [{ base: 1 }, { base: 1, other: 0 }],
    [{ other: 0 }, { base: 1, other: 0 }],
  ])('by %j is %j', (change, pair) => {
    expect(changePair({ base: 0, other: 1 }, change)).toEqual(pair);
  });
});

describe('viewOf', () => {
  it('compares the other with the base', async () =>
    expect((await viewOf({ base: 1, other: 4 }, COLUMNS, () => import('./differences'))).found).toMatchObject({
      added: 1,
      removed: 1,
      changes: 1,
    }));
});
