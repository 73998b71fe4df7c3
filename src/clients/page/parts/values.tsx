import type { ComponentChildren } from 'preact';
import { shortAmount } from '../../client/amount-text';
import { now } from '../clock';
import { localDate, utcDate } from '../dates';

/** An amount of money with three significant digits; all its digits are in the title and in what programs read. */
export function Amount({ exact }: { exact: string }) {
  return (
    <data class="amount" value={exact} title={`$${exact}`}>
      {shortAmount(exact)}
    </data>
  );
}

/** When something was, where the person is; the title says it in UTC. */
export function LocalTime({ timestamp }: { timestamp: string }) {
  return (
    <time class="number" dateTime={timestamp} title={utcDate(timestamp)}>
      {localDate(timestamp, { thisYear: now().getFullYear() })}
    </time>
  );
}

/** A figure with its name and a note below it: one of several beside each other. */
export function MonthFigure({
  name,
  note,
  children,
}: {
  name: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="month-figure">
      <dt>{name}</dt>
      <dd>
        <span class="month-figure-value">{children}</span>
        {note !== undefined && <span class="month-figure-note">{note}</span>}
      </dd>
    </div>
  );
}
