/** A month in the form YYYY-MM, 01 to 12. */
export const MONTH_PATTERN = /^\d{4}-(0[1-9]|1[0-2])$/;

/** A calendar month in UTC, in the form `YYYY-MM`. */
export class Month {
  private constructor(private readonly text: string) {}

  /** The month that contains an instant. */
  static of(instant: Date): Month {
    return new Month(instant.toISOString().slice(0, 7));
  }

  /** Parses `YYYY-MM`; undefined for anything else. */
  static parse(text: string): Month | undefined {
    return MONTH_PATTERN.test(text) ? new Month(text) : undefined;
  }

  /** The first instant after this month. */
  get end(): Date {
    const [year, month] = this.text.split('-').map(Number) as [number, number];
    // Date.UTC maps the years 0 to 99 to 1900 to 1999.
    const end = new Date(0);
    end.setUTCFullYear(year, month, 1);
    return end;
  }

  toString(): string {
    return this.text;
  }
}
