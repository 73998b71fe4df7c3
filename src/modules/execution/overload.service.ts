import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';

/**
 * How often the delays of the event loop are sampled, and for how long they are collected before they are looked at, in
 * milliseconds.
 */
const RESOLUTION_MS = 20;
const WINDOW_MS = 1000;
/**
 * This number of consecutive windows must be slow: a single one may be a garbage collection, a large body or a machine
 * that slept.
 */
const MIN_SLOW_WINDOWS = 2;
const RETRY_AFTER_SECONDS = 2;

/**
 * Notices that this process cannot keep up, by the delay of its event loop, so that new work is refused before callers
 * time out; what runs goes on.
 */
@Injectable()
export class OverloadService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(OverloadService.name);
  private delays: IntervalHistogram | undefined;
  private timer: NodeJS.Timeout | undefined;
  private slowWindows = 0;

  constructor(private readonly config: Config) {}

  onApplicationBootstrap(): void {
    if (this.config.MAX_EVENT_LOOP_DELAY_MS === 0) return;
    this.delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.delays.enable();
    this.timer = setInterval(() => this.endWindow(), WINDOW_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.delays?.disable();
  }

  /** @throws ApiError overloaded while half of the event loop's turns are later than MAX_EVENT_LOOP_DELAY_MS */
  refuseWhileOverloaded(): void {
    if (!this.isOverloaded) return;
    throw new ApiError('overloaded', {
      message:
        'The service is too busy to start anything new in time; nothing was run or charged. Try again after Retry-After seconds.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /** True if this process cannot keep up. */
  get isOverloaded(): boolean {
    return this.slowWindows >= MIN_SLOW_WINDOWS;
  }

  private endWindow(): void {
    const wasOverloaded = this.isOverloaded;
    const delayMs = this.takeMedian();
    if (delayMs === undefined) return;
    this.slowWindows = delayMs > this.config.MAX_EVENT_LOOP_DELAY_MS ? this.slowWindows + 1 : 0;
    if (this.isOverloaded === wasOverloaded) return;
    this.log.warn(
      wasOverloaded
        ? 'keeps up again: compares are accepted'
        : `cannot keep up: compares are refused while the event loop is ${Math.round(delayMs)} ms late`,
    );
  }

  /** The median delay of the window in milliseconds; undefined while there is none, and then the window goes on. */
  private takeMedian(): number | undefined {
    if (this.delays === undefined || this.delays.count === 0) return undefined;
    // The histogram's values include the pause between two samples.
    const delayMs = this.delays.percentile(50) / 1e6 - RESOLUTION_MS;
    this.delays.reset();
    return delayMs;
  }
}
