import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Config } from '../config/config';
import type { Result } from '../evals/result.entity';
import { toApiError } from '../http/error.filter';
import type { Model } from '../models/catalog';
import { Metrics } from '../observability/metrics';
import { MCS } from '../observability/semantic-conventions';
import type { CallOutcome } from '../providers/model-call.service';
import type { ActiveCompare, CompareCommand, CompareContext, CompareOutcome } from './compare.types';
import { OverloadService } from './overload.service';

/** The compares in flight in this process: limits their number, counts how they end, and lets a shutdown wait for them. */
@Injectable()
export class ActiveComparesService implements OnModuleDestroy, BeforeApplicationShutdown {
  private inFlight = 0;
  /** The compares with a waiting caller; jobs have separate slots. */
  private asked = 0;
  private stopping = false;
  private onDrained: () => void = () => undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly overload: OverloadService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /**
   * Begins a compare; it ends when it is disposed of. A job already has a slot and an eval id.
   * @throws ApiError overloaded above MAX_CONCURRENT_COMPARES and while this process cannot keep up, unavailable while the service stops
   */
  begin(caller: Caller, command: CompareCommand, { onEvent = ignore, isStreamed = false, requestId, lock }: CompareContext): ActiveCompare & Disposable {
    this.refuseWhileStopping();
    const isAsked = lock === undefined;
    if (isAsked) this.refuseAboveLimits();
    this.inFlight += 1;
    this.asked += Number(isAsked);
    this.metrics.comparesRunning.inc();
    const [startedAt, startedMs] = [this.clock.now(), this.clock.monotonicMs()];
    const evalId = lock?.evalId ?? newId('eval', startedAt);
    return { caller, command, onEvent, isStreamed: isStreamed || lock !== undefined || wantsTimes(command), requestId, lock, evalId, startedAt, startedMs, roundStartedMs: startedMs, vendorMs: 0, [Symbol.dispose]: () => this.end(isAsked) };
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
  countModelCall({ vendor, vendorModel }: Model, outcome: CallOutcome, result: Result): void {
    this.metrics.modelCallEnded({ ...result, vendor, vendorModel, ttftMs: 'failure' in outcome ? null : outcome.ttftMs });
  }

  /** Counts a compare that ended with an eval, and logs its texts with LOG_PROMPTS. */
  succeed(compare: ActiveCompare, outcome: CompareOutcome): void {
    const { stored: { record: { id, isFree, totalCost, charge } }, isReplay } = outcome;
    this.metrics.compares.inc({ outcome: isReplay ? 'replayed' : 'stored' });
    if (!isReplay) this.metrics.evalStored({ charge, isFree, overheadMs: this.elapsedMs(compare) - compare.vendorMs });
    const span = trace.getActiveSpan();
    span?.setAttributes({ [MCS.evalId]: id, [MCS.outcome]: isReplay ? 'replayed' : 'stored' });
    // Amounts are floats here, as in the metrics: they are looked at, never billed. A replay has cost nothing.
    if (!isReplay) span?.setAttributes({ [MCS.isFree]: isFree, [MCS.cost]: Number(totalCost.toString()), [MCS.charge]: Number(charge.toString()) });
    if (this.config.LOG_PROMPTS) this.logTexts(compare, outcome);
  }

  /** Counts a compare that ended without an eval. */
  fail(error: unknown): void {
    const { code } = toApiError(error);
    this.metrics.compareFailed(code);
    trace.getActiveSpan()?.setAttribute(MCS.outcome, code);
  }

  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** Waits for the compares in flight; the database is closed only after this. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => { this.onDrained = resolve; });
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

  private end(isAsked: boolean): void {
    this.inFlight -= 1;
    this.asked -= Number(isAsked);
    this.metrics.comparesRunning.dec();
    if (this.inFlight === 0) this.onDrained();
  }

  private logTexts({ requestId, lock }: ActiveCompare, { stored: { record, results }, isReplay }: CompareOutcome): void {
    const texts = { evalId: record.id, isReplay, prompt: record.prompt, input: record.input, outputs: results.map(({ model, output }) => ({ model, output })) };
    this.adapterHost.httpAdapter.getInstance<FastifyInstance>().log.info({ ...(lock === undefined ? { reqId: requestId } : { runId: lock.runId }), ...texts }, 'compare');
  }
}

function ignore(): void {}

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
