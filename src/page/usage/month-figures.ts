import type { Breakdown, ModelComparison, Usage } from '../../client/client';
import { daysOfMonth } from '../dates';
import { isSameSum } from '../money';

/** Everything that the usage screen shows of a month. */
export interface MonthFigures {
  usage: Usage;
  byDay: Breakdown;
  byModel: Breakdown;
  byKey: Breakdown;
}

/** One line of a breakdown. */
export type BreakdownLine = Breakdown['items'][number];

/** While an experiment runs, answers to questions of one moment may differ. */
const MAX_LOOKS = 5;

/** Asks for a month, all at once, and again until the answers agree. @throws CompareError */
export async function loadMonth(client: ModelComparison, month: string, signal: AbortSignal): Promise<MonthFigures> {
  let figures = await lookAt(client, month, signal);
  for (let look = 1; look < MAX_LOOKS && !areOfOneMoment(figures); look += 1) figures = await lookAt(client, month, signal);
  return figures;
}

function areOfOneMoment({ usage: { eval_count: count }, byDay, byModel, byKey }: MonthFigures): boolean {
  const costs = ({ items }: Breakdown) => items.map(({ cost_usd: cost }) => cost);
  return [byDay, byKey].every(({ items }) => items.reduce((sum, { eval_count: evals }) => sum + evals, 0) === count) && isSameSum(costs(byDay), costs(byModel)) && isSameSum(costs(byDay), costs(byKey));
}

async function lookAt({ usage }: ModelComparison, month: string, signal: AbortSignal): Promise<MonthFigures> {
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
