/** How a month is written: YYYY-MM, a real month. */
export const MONTH_PATTERN = /^\d{4}-(0[1-9]|1[0-2])$/;

/** A calendar month in UTC, written `YYYY-MM`. */
export class Month {
  private constructor(private readonly text: string) {}

  /** The month an instant lies in. */
  static of(instant: Date): Month {
    return new Month(instant.toISOString().slice(0, 7));
  }

  /** Reads `YYYY-MM`; undefined when that is not a real month. */
  static parse(text: string): Month | undefined {
    return MONTH_PATTERN.test(text) ? new Month(text) : undefined;
  }

  /** The first instant after this month. */
  get end(): Date {
    const [year, month] = this.text.split('-').map(Number) as [number, number];
    // Date.UTC would take the years 0 to 99 for 1900 to 1999.
    const end = new Date(0);
    end.setUTCFullYear(year, month, 1);
    return end;
  }

  toString(): string {
    return this.text;
  }
}
