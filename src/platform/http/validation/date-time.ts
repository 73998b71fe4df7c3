const DATE_TIME =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?<zone>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/i;
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The reason why a text is not a storable RFC 3339 date-time: the rest of a sentence that begins with its name. Leap
 * seconds are rejected, since they would equal the next minute.
 */
export function dateTimeProblem(text: string): string | undefined {
  const { date, zone } = DATE_TIME.exec(text)?.groups ?? {};
  if (date === undefined) return ' must be written like 2027-01-01T00:00:00Z or 2027-01-01T02:00:00+02:00 (RFC 3339)';
  if (!isRealDate(date)) return ` must name a real day, which ${date} is not`;
  if (zone === undefined) return ' must end in a time zone: Z for UTC, or an offset such as +02:00';
  return parseDateTime(text).getTime() > LAST_INSTANT ? ' must not be later than the year 9999' : undefined;
}

/** The instant of a text in which `dateTimeProblem` finds nothing wrong; fractions of milliseconds are dropped. */
export function parseDateTime(text: string): Date {
  return new Date(text.toUpperCase());
}

function isRealDate(date: string): boolean {
  // A day that a month does not have is either none or the next month's.
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
