import type { ModelComparison } from '../../client/client';
import { costsByDay, loadMonth, percentOf } from './month-figures';

it('costsByDay has every day of the month, with the exact amount of the answer', () => {
  const line = { eval_count: 1, input_tokens: 1, output_tokens: 1, charge_usd: '0' };
  const costs = costsByDay({
    month: '2026-11',
    by: 'day',
    items: [
      { ...line, item: '2026-11-02', cost_usd: '0.12345678901234567890' },
      { ...line, item: '2026-12-01', cost_usd: '9' },
    ],
  });
  expect(costs).toHaveLength(30);
  expect(costs.slice(0, 3)).toEqual([
    { day: '2026-11-01', cost: '0' },
    { day: '2026-11-02', cost: '0.12345678901234567890' },
    { day: '2026-11-03', cost: '0' },
  ]);
});

it.each([
  [0.4, '40 %'],
  [0.125, '12.5 %'],
  [0, '0 %'],
  [0.07, '7 %'],
  [1.5, '150 %'],
])('percentOf %d is %s', (margin, percent) => expect(percentOf(margin)).toBe(percent));

describe('loadMonth', () => {
  /** A service whose answers are of these moments, one after the other, for each question. */
  function clientOf(moments: Record<'usage' | 'day' | 'model' | 'key', number[]>) {
    const next = (name: keyof typeof moments): number =>
      (moments[name].length > 1 ? moments[name].shift() : moments[name][0]) ?? 0;
    const breakdown = async ({ by }: { by: 'day' | 'model' | 'key' }) => {
      const count = next(by);
      return {
        by,
        items: [
          {
            item: 'x',
            eval_count: by === 'model' ? 2 * count : count,
            input_tokens: count,
            cost_usd: `0.0000${count}`,
          },
        ],
      };
    };
    return { usage: { get: async () => ({ eval_count: next('usage') }), breakdown } } as unknown as ModelComparison;
  }
  const counts = async (moments: Parameters<typeof clientOf>[0]) => {
    const { usage, byDay, byModel, byKey } = await loadMonth(
      clientOf(moments),
      '2026-11',
      new AbortController().signal,
    );
    return [usage.eval_count, byDay.items[0]?.eval_count, byModel.items[0]?.cost_usd, byKey.items[0]?.eval_count];
  };

  it.each([
    ['the tile', { usage: [94, 97], day: [97], model: [97], key: [97] }],
    ['the models', { usage: [97], day: [97], model: [94, 97], key: [97] }],
    ['the keys', { usage: [97], day: [97], model: [97], key: [94, 97] }],
  ])('looks again while the answer about %s is of another moment', async (_what, moments) =>
    expect(await counts(moments)).toEqual([97, 97, '0.000097', 97]),
  );

  it('does not look for ever', async () =>
    expect(await counts({ usage: [1, 2, 3, 4, 5, 6], day: [9], model: [9], key: [9] })).toEqual([5, 9, '0.00009', 9]));
});
