import { costsByDay, percentOf } from './month-figures';

it('costsByDay has every day of the month, with the exact amount of the answer', () => {
  const line = { eval_count: 1, input_tokens: 1, output_tokens: 1, charge_usd: '0' };
  const costs = costsByDay({ month: '2026-11', by: 'day', items: [{ ...line, item: '2026-11-02', cost_usd: '0.12345678901234567890' }, { ...line, item: '2026-12-01', cost_usd: '9' }] });
  expect(costs).toHaveLength(30);
  expect(costs.slice(0, 3)).toEqual([{ day: '2026-11-01', cost: '0' }, { day: '2026-11-02', cost: '0.12345678901234567890' }, { day: '2026-11-03', cost: '0' }]);
});

it.each([[0.4, '40 %'], [0.125, '12.5 %'], [0, '0 %'], [0.07, '7 %'], [1.5, '150 %']])('percentOf %d is %s', (margin, percent) => expect(percentOf(margin)).toBe(percent));
