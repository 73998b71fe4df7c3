/** The only reader of the system clocks: wall time for records, a monotonic one for durations. */
export class Clock {
  private readonly offsetMs: number;

  /** With `startAt`, wall time begins there and runs on from it; only tests give one. */
  constructor(startAt?: Date) {
    this.offsetMs = startAt === undefined ? 0 : startAt.getTime() - Date.now();
  }

  /** The current instant, in whole milliseconds. */
  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  /** Milliseconds of a clock that never jumps; only differences mean something. */
  monotonicMs(): number {
    return performance.now();
  }
}
