import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { newId } from '../../common/ids';
import { Money } from '../../common/money';
import { Config } from '../../platform/config/config';
import type { Result } from '../evals/result.entity';
import { toApiError } from '../../common/to-api-error';
import type { Model } from '../models/catalog';
import { Metrics } from '../../platform/observability/metrics';
import { MCS } from '../../platform/observability/semantic-conventions';
import type { Answered, CallOutcome } from '../providers/model-call.service';
import type { ActiveCompare, CompareCommand, CompareContext, CompareOutcome, OnCompareEvent } from './compare.types';
import { OverloadService } from './overload.service';
import { RunFeeds, type RunFeed } from './run-feeds';

/**
 * The compares in flight in this process: limits their number, counts how they end, and lets a shutdown wait for them.
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
    const feed =
      onEvent !== undefined || (isStreamed && lock !== undefined)
        ? this.feeds.open(evalId, caller, command)
        : undefined;
    return {
      caller,
      command,
      onEvent: bothOf(feed, onEvent),
      feed,
      isStreamed: isStreamed || wantsTimes(command),
      requestId,
      lock,
      evalId,
      startedAt,
      startedMs,
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

  /** Names the compare on its span once its models are known to exist: until then their names are a caller's text. */
  admitted({ evalId, command: { models, samples } }: ActiveCompare): void {
    trace.getActiveSpan()?.setAttributes({ [MCS.evalId]: evalId, [MCS.models]: models, [MCS.samples]: samples });
  }

  /** Begins another round, and with it its deadlines. */
  beginRound(compare: ActiveCompare): void {
    compare.roundStartedMs = this.clock.monotonicMs();
  }

  /** Milliseconds since the compare began. */
  elapsedMs({ startedMs }: ActiveCompare): number {
    return this.clock.monotonicMs() - startedMs;
  }

  /** Counts a call of a model. */
  countModelCall({ id, vendor, vendorModel }: Model, outcome: CallOutcome, result: Result): void {
    this.metrics.modelCallEnded({
      ...result,
      model: id,
      vendor,
      vendorModel,
      ttftMs: 'failure' in outcome ? null : outcome.ttftMs,
    });
  }

  /** Counts the part of the cost stated by a vendor that is above the cost of the result, which the operator pays. */
  countStatedCost({ vendor }: Model, { completion: { reportedCostUsd } }: Answered, { cost }: Result): void {
    const excess = reportedCostUsd === undefined ? 0 : Number(Money.of(reportedCostUsd).minus(cost).toString());
    if (excess > 0) this.metrics.statedAboveList.inc({ provider: vendor }, excess);
  }

  /**
   * Counts an answer of another model than the requested one. `lost` is its cost, if the caller refused it; the
   * operator still pays the vendor.
   */
  countSubstitute({ id, vendor }: Model, answeredBy: string, lost: Money | undefined): void {
    this.metrics.substitutions.inc({ provider: vendor });
    if (lost === undefined) return;
    this.metrics.refusedSubstitutes.inc({ provider: vendor }, Number(lost.toString()));
    this.log.error({ event: 'substitute-refused', model: id, answeredBy, lostUsd: lost.toString() });
  }

  /** Counts a compare that ended with an eval, and logs its texts with LOG_PROMPTS. */
  succeed(compare: ActiveCompare, outcome: CompareOutcome): void {
    const {
      stored: {
        record: { id, isFree, totalCost, charge },
      },
      isReplay,
    } = outcome;
    compare.feed?.end(outcome);
    this.metrics.compares.inc({ outcome: isReplay ? 'replayed' : 'stored' });
    if (!isReplay) this.metrics.evalStored({ charge, isFree, overheadMs: this.elapsedMs(compare) - compare.vendorMs });
    const span = trace.getActiveSpan();
    span?.setAttributes({ [MCS.evalId]: id, [MCS.outcome]: isReplay ? 'replayed' : 'stored' });
    // Amounts are floats here, as in the metrics: they are looked at, never billed. A replay has cost nothing.
    if (!isReplay)
      span?.setAttributes({
        [MCS.isFree]: isFree,
        [MCS.cost]: Number(totalCost.toString()),
        [MCS.charge]: Number(charge.toString()),
      });
    if (this.config.LOG_PROMPTS && compare.command.isStored !== false) this.logTexts(compare, outcome);
  }

  /** Counts a compare that ended without an eval. */
  fail(error: unknown, compare?: ActiveCompare): void {
    compare?.feed?.fail(error);
    const { code } = toApiError(error);
    this.metrics.compareFailed(code);
    trace.getActiveSpan()?.setAttribute(MCS.outcome, code);
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Waits for the compares in flight; the database is closed only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.inFlight > 0)
      await new Promise<void>((resolve) => {
        this.onDrained = resolve;
      });
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

  private logTexts(
    { requestId, lock }: ActiveCompare,
    { stored: { record, results }, isReplay }: CompareOutcome,
  ): void {
    const texts = {
      evalId: record.id,
      isReplay,
      prompt: record.prompt,
      input: record.input,
      outputs: results.map(({ model, output }) => ({ model, output })),
    };
    this.adapterHost.httpAdapter
      .getInstance<FastifyInstance>()
      .log.info({ ...(lock === undefined ? { reqId: requestId } : { runId: lock.runId }), ...texts }, 'compare');
  }
}

function bothOf(feed: RunFeed | undefined, onEvent: OnCompareEvent = () => undefined): OnCompareEvent {
  return feed === undefined
    ? onEvent
    : (event) => {
        feed.push(event);
        onEvent(event);
      };
}

/** True if its statistics or checks read the time to the first text. */
function wantsTimes({ samples, checks }: CompareCommand): boolean {
  return samples > 1 || checks.some((check) => check.type === 'latency' && check.of === 'first_token');
}

function tooMany(limit: number): ApiError {
  return new ApiError('overloaded', {
    message: `The service is running ${limit} compares, as many as it takes at once; nothing was run or charged. Try again after Retry-After seconds.`,
    retryAfterSeconds: 1,
  });
}
