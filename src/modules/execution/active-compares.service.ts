import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { ActiveCompare, type Surroundings } from './active-compare';
import type { CompareCommand, CompareContext, CompareOutcome } from './compare.types';
import { OverloadService } from './overload.service';
import { recordFailure, recordOutcome, textsOf } from './record-compare';
import { RunFeeds } from './run-feeds';

/**
 * The compares in flight in this process: limits their number, feeds their events, and lets a shutdown wait for them.
 */
@Injectable()
export class ActiveComparesService implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(ActiveComparesService.name);
  private inFlight = 0;
  /** The compares with a waiting caller; jobs have separate slots. */
  private asked = 0;
  private stopping = false;
  private onDrained: () => void = () => undefined;
  /** The events of streamed runs, for readers who take them up again. */
  readonly feeds = new RunFeeds();
  private readonly surroundings: Surroundings;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly overload: OverloadService,
    private readonly adapterHost: HttpAdapterHost,
  ) {
    const { feeds, log } = this;
    this.surroundings = { clock, feeds, metrics, log, onEnd: (compare) => this.end(compare) };
  }

  /**
   * Begins a compare; it ends when it is disposed of. A job already has a slot and an eval id.
   * @throws ApiError overloaded above MAX_CONCURRENT_COMPARES and while this process cannot keep up, unavailable while
   * the service stops
   */
  begin(caller: Caller, command: CompareCommand, context: CompareContext): ActiveCompare {
    this.refuseWhileStopping();
    if (context.lock === undefined) this.refuseAboveLimits();
    this.inFlight += 1;
    this.asked += Number(context.lock === undefined);
    this.metrics.comparesRunning.inc();
    return new ActiveCompare(caller, command, context, this.surroundings);
  }

  /** True if the service stops: a compare then leaves out its optional parts. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Refuses new work without looking at it. @throws ApiError unavailable, overloaded */
  refuseWhileUnable(): void {
    this.refuseWhileStopping();
    this.overload.refuseWhileOverloaded();
  }

  /** @throws ApiError unavailable */
  refuseWhileStopping(): void {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
  }

  /** Begins another round, and with it its deadlines. */
  beginRound(compare: ActiveCompare): void {
    compare.roundStartedMs = this.clock.monotonicMs();
  }

  /** Milliseconds since the compare began. */
  elapsedMs({ startedMs }: ActiveCompare): number {
    return this.clock.monotonicMs() - startedMs;
  }

  /** Ends a compare with its eval, and logs its texts with LOG_PROMPTS. */
  succeed(compare: ActiveCompare, outcome: CompareOutcome): void {
    compare.feed?.end(outcome);
    recordOutcome(this.metrics, outcome, this.elapsedMs(compare) - compare.vendorMs);
    if (!this.config.LOG_PROMPTS || compare.command.isStored === false) return;
    const { log } = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    log.info(textsOf(compare, outcome), 'compare');
  }

  /** Ends a compare without an eval. */
  fail(error: unknown, compare?: ActiveCompare): void {
    compare?.feed?.fail(error);
    recordFailure(this.metrics, error);
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Waits for the compares in flight; the database is closed only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.onDrained = resolve));
  }

  /** Refusals are counted like compares that ended without an eval. */
  private refuseAboveLimits(): void {
    try {
      this.overload.refuseWhileOverloaded();
      if (this.asked >= this.config.MAX_CONCURRENT_COMPARES) throw tooMany(this.config.MAX_CONCURRENT_COMPARES);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  private end({ lock, evalId, feed }: ActiveCompare): void {
    if (feed !== undefined) this.feeds.close(evalId, feed);
    this.inFlight -= 1;
    this.asked -= Number(lock === undefined);
    this.metrics.comparesRunning.dec();
    if (this.inFlight === 0) this.onDrained();
  }
}

function tooMany(limit: number): ApiError {
  return new ApiError('overloaded', {
    message: `The service is running ${limit} compares, as many as it takes at once; nothing was run or charged. Try again after Retry-After seconds.`,
    retryAfterSeconds: 1,
  });
}
