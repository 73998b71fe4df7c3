import type { Eval } from '../../../client/client';
import { timeText } from '../../../client/time-text';
import { type ColumnState, isOpen } from '../run/run';
import { type Figure, money } from './figures';

/** The parts of the line above the answers. */
interface Summary {
  /** Such as "2 of 3", or "1 of 3 so far". */
  count: string;
  /** Positions of the models that failed, from 0. */
  failed: readonly number[];
  cost: Figure | undefined;
  charge: Figure | undefined;
  duration: string | undefined;
}

/** The line above the answers. */
export function summaryOf(columns: readonly ColumnState[], stored: Eval | undefined): Summary {
  const ended = columns.filter(({ phase }) => phase === 'ended').length;
  const failed = columns.flatMap(({ phase }, index) => (phase === 'failed' ? [index] : []));
  const details = stored?.details;
  return {
    count: `${ended} of ${columns.length}${columns.some(isOpen) ? ' so far' : ''}`,
    failed,
    ...pricesOf(stored),
    duration: typeof details?.duration_ms === 'number' ? timeText(details.duration_ms) : undefined,
  };
}

/** A share may leave out the cost of its eval. A run of nothing has one amount, not two. */
function pricesOf(stored: Eval | undefined): Pick<Summary, 'cost' | 'charge'> {
  const [total, charge]: [unknown, Figure | undefined] = [stored?.meta.total_cost_usd, chargeOf(stored?.details)];
  if (total === undefined) return { cost: undefined, charge };
  const cost = money(total);
  if (cost.text !== '$0') return { cost, charge };
  return charge === undefined || charge.text === 'charged $0'
    ? { cost: { ...cost, text: 'costs nothing' }, charge: undefined }
    : { cost: undefined, charge };
}

function chargeOf(details: Eval['details']): Figure | undefined {
  if (details === undefined) return undefined;
  if (details.free) return { text: 'free', title: 'One of the month’s free evals: nothing was charged' };
  const { text, title } = money(details.charge_usd);
  return { text: `charged ${text}`, title };
}

const INCLUDED: readonly string[] = ['details', 'checks', 'statistics', 'preference', 'note', 'starred'];

/** The eval as GET /evals/:id answers it. */
export function withoutDetails(stored: Eval): unknown {
  return withoutIncluded({ ...stored, results: stored.results.map(withoutIncluded) });
}

function withoutIncluded(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !INCLUDED.includes(name)));
}
