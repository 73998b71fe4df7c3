/**
 * Schedules a call before the next frame, or a little later while the page is hidden. Returns a function that cancels
 * it.
 */
export type FrameScheduler = (callback: () => void) => () => void;

const HIDDEN_INTERVAL_MS = 250;

/** Frames of the browser. It draws none in a hidden tab, where a timer replaces them, so that work does not pile up. */
export const nextFrame: FrameScheduler = (callback) => {
  if (document.visibilityState === 'hidden') {
    const timer = setTimeout(callback, HIDDEN_INTERVAL_MS);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(frame);
};

/** Gathers what comes and hands it on together, once a frame. */
export class FrameQueue<T> {
  private waiting: T[] = [];
  private unschedule: (() => void) | undefined;

  constructor(
    private readonly take: (items: readonly T[]) => void,
    private readonly schedule: FrameScheduler = nextFrame,
  ) {}

  /** Adds one to the next frame. */
  push(item: T): void {
    this.waiting.push(item);
    this.unschedule ??= this.schedule(() => this.flush());
  }

  /** Hands on at once what waits. */
  flush(): void {
    this.unschedule?.();
    this.unschedule = undefined;
    if (this.waiting.length > 0) this.take(this.waiting.splice(0));
  }
}
