// The page speaks English whatever the browser does, so its dates do too; this form is read alike on both sides of the
// ocean.
const LANGUAGE = 'en-GB';

/** How a date is shown, beside the date itself. */
interface DateOptions {
  /** The time zone of the person, which is the browser's unless a test names another. */
  timeZone?: string;
  /** The year that needs no mention. */
  thisYear?: number;
}

/**
 * A timestamp in the person's own time zone: `21 Nov 2026, 21:23`, without the current year. Returns any other text
 * unchanged.
 */
export function localDate(timestamp: string, { timeZone, thisYear }: DateOptions = {}): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return timestamp;
  const parts = partsOf(date, timeZone);
  const year = Number(parts['year']) === thisYear ? '' : ` ${parts['year']}`;
  return `${parts['day']} ${parts['month']}${year}, ${parts['hour']}:${parts['minute']}`;
}

/** The day alone: `3 March 2026`. */
export function localDay(timestamp: string, { timeZone }: DateOptions = {}): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return timestamp;
  return new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(date);
}

/** The same moment in UTC, to the second: `2026-11-21 20:23:11 UTC`. */
export function utcDate(timestamp: string): string {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? timestamp : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-11` as `November 2026`; returns any other text unchanged. */
export function monthName(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  return !isMonth(month) || Number.isNaN(date.getTime())
    ? month
    : new Intl.DateTimeFormat(LANGUAGE, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);
}

/**
 * The months from the first to the last, newest first; only the last where they are in the wrong order or no months.
 */
export function monthsBetween(first: string, last: string): string[] {
  if (!isMonth(first) || !isMonth(last) || first > last) return [last];
  const count = indexOfMonth(last) - indexOfMonth(first) + 1;
  return Array.from({ length: count }, (_, back) => monthAt(indexOfMonth(last) - back));
}

/** The days of a month as the API names them: `2026-11-01` and so on; none where it is no month. */
export function daysOfMonth(month: string): string[] {
  if (!isMonth(month)) return [];
  const index = indexOfMonth(month);
  const count = new Date(Date.UTC(Math.floor(index / 12), (index % 12) + 1, 0)).getUTCDate();
  return Array.from({ length: count }, (_, day) => `${month}-${String(day + 1).padStart(2, '0')}`);
}

/** `2026-11-03` as `3 November`. */
export function dayName(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime())
    ? day
    : new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(date);
}

/** True if it has the form `YYYY-MM`. */
function isMonth(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text);
}

function partsOf(date: Date, timeZone: string | undefined): Record<string, string> {
  const format = new Intl.DateTimeFormat(LANGUAGE, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  return Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
}

function indexOfMonth(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
}

function monthAt(index: number): string {
  return `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`;
}
