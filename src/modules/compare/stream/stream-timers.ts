/** How long text after a model's first may wait for more of it, in milliseconds. */
export const JOIN_MS = 20;
/**
 * How often open streams are looked through, in milliseconds: for silent ones, and for those whose key was revoked,
 * which get no event a second later.
 */
export const HEARTBEAT_INTERVAL_MS = 500;

/** The callbacks of the timers. */
export interface TimedStream {
  /** Writes what waits. */
  flush(): void;
  /** Called every `HEARTBEAT_INTERVAL_MS` while the stream is open. */
  tick(): void;
}

/**
 * The timers that all event streams of a process share: one joins text, one keeps silent connections alive. Neither
 * runs while nothing needs it.
 */
export class StreamTimers {
  private readonly open = new Set<TimedStream>();
  private waiting = new Set<TimedStream>();
  private join: NodeJS.Timeout | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  /** Calls `onTick` every `HEARTBEAT_INTERVAL_MS` while any stream is open. */
  constructor(private readonly onTick: () => void = () => undefined) {}

  /** Ticks for the stream until it is removed. */
  add(stream: TimedStream): void {
    this.open.add(stream);
    this.heartbeat ??= setInterval(() => this.tickAll(), HEARTBEAT_INTERVAL_MS);
  }

  remove(stream: TimedStream): void {
    this.open.delete(stream);
    if (this.open.size > 0) return;
    clearInterval(this.heartbeat);
    this.heartbeat = undefined;
  }

  /** Flushes the stream within `JOIN_MS`. */
  flushSoon(stream: TimedStream): void {
    this.waiting.add(stream);
    this.join ??= setTimeout(() => this.flushAll(), JOIN_MS);
  }

  private flushAll(): void {
    const streams = this.waiting;
    this.waiting = new Set();
    this.join = undefined;
    for (const stream of streams) stream.flush();
  }

  private tickAll(): void {
    for (const stream of this.open) stream.tick();
    this.onTick();
  }
}
