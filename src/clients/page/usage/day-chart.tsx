import { shortAmount } from '../../client/amount-text';
import { maxAmount, shareOf } from '../money';

/** The exact cost of each day of a month as bars, in shares of the highest day. */
export function DayChart({ days }: { days: readonly { day: string; cost: string }[] }) {
  const most = maxAmount(days.map(({ cost }) => cost));
  return (
    <div class="day-chart" role="img" aria-label="Cost by day as bars; the table below has the same figures">
      <span class="day-most">{most === '0' ? '' : shortAmount(most)}</span>
      <span class="day-least">$0</span>
      {days.map(({ day, cost }, index) => (
        <span key={day} class="day" data-day={index + 1}>
          <span class="bar" style={{ blockSize: `${shareOf(cost, most) * 100}%` }} />
        </span>
      ))}
    </div>
  );
}
