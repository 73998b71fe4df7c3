import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import type { ActiveCompare, CompareCommand, CompareContext, CompareOutcome } from './compare.types';
import { OverloadService } from './overload.service';
import { recordFailure, recordOutcome, textsOf } from './record-compare';
import { RunFeeds, type RunFeed } from './run-feeds';
import { toFeedAndCaller, wantsTimes } from './watched-compare';

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

  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly overload: OverloadService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /**
   * Begins a compare; it ends when it is disposed of. A job already has a slot and an eval id.
   * @throws ApiError overloaded above MAX_CONCURRENT_COMPARES and while this process cannot keep up, unavailable while
   * the service stops
   */
  begin(
    caller: Caller,
    command: CompareCommand,
    { onEvent, isStreamed = false, requestId, lock }: CompareContext,
  ): ActiveCompare & Disposable {
    this.refuseWhileStopping();
    const isAsked = lock === undefined;
    if (isAsked) this.refuseAboveLimits();
    this.inFlight += 1;
    this.asked += Number(isAsked);
    this.metrics.comparesRunning.inc();
    const [startedAt, startedMs] = [this.clock.now(), this.clock.monotonicMs()];
    const evalId = lock?.evalId ?? newId('eval', startedAt);
    // A compare whose caller waits for the whole has no events to take up, nor has a row of an experiment.
    const hasEvents = onEvent !== undefined || (isStreamed && lock !== undefined);
    const feed = hasEvents ? this.feeds.open(evalId, caller, command) : undefined;
    return {
      caller,
      command,
      feed,
      requestId,
      lock,
      evalId,
      startedAt,
      startedMs,
      metrics: this.metrics,
      log: this.log,
      onEvent: toFeedAndCaller(feed, onEvent),
      isStreamed: isStreamed || wantsTimes(command),
      roundStartedMs: startedMs,
      vendorMs: 0,
      [Symbol.dispose]: () => this.end(isAsked, evalId, feed),
    };
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

  private end(isAsked: boolean, evalId: string, feed: RunFeed | undefined): void {
    if (feed !== undefined) this.feeds.close(evalId, feed);
    this.inFlight -= 1;
    this.asked -= Number(isAsked);
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
