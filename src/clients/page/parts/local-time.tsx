import { now } from '../clock';
import { localDate, utcDate } from '../dates';

/** When something was, where the person is; the title says it in UTC. */
export function LocalTime({ timestamp }: { timestamp: string }) {
  return (
    <time class="number" dateTime={timestamp} title={utcDate(timestamp)}>
      {localDate(timestamp, { thisYear: now().getFullYear() })}
    </time>
  );
}
