/** The milliseconds of 24 hours. */
export const DAY_MS = 86_400_000;

/** The only reader of the system clocks: wall-clock time for records, monotonic time for durations. */
export class Clock {
  private readonly offsetMs: number;

  /** With `startAt`, wall-clock time starts at that instant and advances from there; only tests set it. */
  constructor(startAt?: Date) {
    this.offsetMs = startAt === undefined ? 0 : startAt.getTime() - Date.now();
  }

  /** The current instant, to the millisecond. */
  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  /** Milliseconds on a clock that never jumps; only differences between two readings are meaningful. */
  monotonicMs(): number {
    return performance.now();
  }
}
