import type { Breakdown, ModelComparison, Usage } from '../../client/client';
import { daysOfMonth } from '../dates';

/** Everything that the usage screen shows of a month. */
export interface MonthFigures {
  usage: Usage;
  byDay: Breakdown;
  byModel: Breakdown;
  byKey: Breakdown;
}

/** One line of a breakdown. */
export type BreakdownLine = Breakdown['items'][number];

/**
 * Asks for a month, all at once, and again while an experiment makes the answers differ; `looks` is the maximum number
 * of times. @throws CompareError
 */
export async function loadMonth(
  client: ModelComparison,
  month: string,
  signal: AbortSignal,
  looks = 5,
): Promise<MonthFigures> {
  const breakdown = (by: Breakdown['by']) => client.usage.breakdown({ month, by }, { signal });
  const [usage, byDay, byModel, byKey] = await Promise.all([
    client.usage.get({ month }, { signal }),
    breakdown('day'),
    breakdown('model'),
    breakdown('key'),
  ]);
  const figures = { usage, byDay, byModel, byKey };
  return looks === 1 || areOfOneMoment(figures) ? figures : await loadMonth(client, month, signal, looks - 1);
}

function areOfOneMoment({ usage, byDay, byModel, byKey }: MonthFigures): boolean {
  const sum = ({ items }: Breakdown, name: 'eval_count' | 'input_tokens') =>
    items.reduce((total, item) => total + item[name], 0);
  return (
    [byDay, byKey].every((each) => sum(each, 'eval_count') === usage.eval_count) &&
    sum(byModel, 'input_tokens') === sum(byDay, 'input_tokens')
  );
}

/** The exact cost of each day of the month, `0` where there was none. */
export function costsByDay({ month, items }: Breakdown): { day: string; cost: string }[] {
  const costs = new Map(items.map(({ item, cost_usd: cost }) => [item, cost]));
  return daysOfMonth(month).map((day) => ({ day, cost: costs.get(day) ?? '0' }));
}

/** A margin as people say it: `40 %`. */
export function percentOf(margin: number): string {
  return `${Number((margin * 100).toFixed(2))} %`;
}
