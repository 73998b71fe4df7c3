import fc from 'fast-check';
import { beginningOf } from './body-bounds';

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

describe('The bounded copy of a body', () => {
  it('is the body itself where it holds no more than a request can', () => {
    const body = {
      prompt: 'x'.repeat(200_000),
      models: Array.from({ length: 200 }, (_, i) => `model-${i}`),
      options: { temperature: 1 },
      none: null,
    };
    expect(beginningOf(body)).toEqual({ body, isWhole: true });
    expect(beginningOf(body).body).toBe(body);
  });

  it('leaves out what is too many, too long or too deep, at any depth, and reports that it did', () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    const wide = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(beginningOf(numbered(51))).toEqual({ body: numbered(50), isWhole: false });
    expect(beginningOf({ options: numbered(80_000) })).toEqual({ body: { options: numbered(50) }, isWhole: false });
    expect(beginningOf({ models: wide(80_000) })).toEqual({ body: { models: wide(1000) }, isWhole: false });
    expect(beginningOf({ ['n'.repeat(1_000_000)]: 1 })).toEqual({ body: { ['n'.repeat(101)]: 1 }, isWhole: false });
    expect(beginningOf(deep(10))).toEqual({ body: deep(10), isWhole: true });
    expect(beginningOf(deep(5000))).toEqual({ body: deep(10), isWhole: false });
  });

  it('holds at most 2,000 values in all, the first ones', () => {
    const { body, isWhole } = beginningOf({
      a: new Array(1000).fill(1),
      b: new Array(1000).fill(2),
      c: new Array(1000).fill(3),
    });
    expect(isWhole).toBe(false);
    expect(Object.values(body).map((list: unknown[]) => list.length)).toEqual([1000, 997, 0]);
  });

  it('keeps the types of the values it empties, so that their errors stay right', () => {
    const levels = (inner: unknown) => Array.from({ length: 9 }).reduce<unknown>((value) => ({ a: value }), inner);
    expect(beginningOf(levels({ list: [1], object: { b: 1 }, text: 'x' }) as object).body).toEqual(
      levels({ list: [], object: {}, text: 'x' }),
    );
  });

  it('is small for every JSON value, and complete exactly when nothing is left out', () => {
    const depthOf = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string(),
          fc.letrec((tie) => ({
            value: fc.oneof(
              { maxDepth: 14, depthSize: 'large' },
              fc.integer(),
              fc.array(tie('value'), { maxLength: 2 }),
              fc.dictionary(fc.string(), tie('value'), { maxKeys: 2 }),
            ),
          })).value,
        ),
        (object) => {
          const { body, isWhole } = beginningOf(object);
          expect(depthOf(body)).toBeLessThanOrEqual(11);
          expect(JSON.stringify(body) === JSON.stringify(object)).toBe(isWhole);
        },
      ),
    );
  });
});
