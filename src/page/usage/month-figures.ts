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

/** Asks for a month, all at once. @throws CompareError */
export async function loadMonth({ usage }: ModelComparison, month: string, signal: AbortSignal): Promise<MonthFigures> {
  const breakdown = (by: Breakdown['by']) => usage.breakdown({ month, by }, { signal });
  const [record, byDay, byModel, byKey] = await Promise.all([usage.get({ month }, { signal }), breakdown('day'), breakdown('model'), breakdown('key')]);
  return { usage: record, byDay, byModel, byKey };
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
