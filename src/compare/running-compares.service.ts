import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { Config } from '../config/config';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Metrics } from '../observability/metrics';
import type { Result } from '../evals/result.entity';
import { toApiError } from '../http/error.filter';
import { inCompareSpan } from './compare-span';
import type { CompareCommand, CompareOutcome, CompareRun } from './compare.types';
import type { ModelOutcome } from './fan-out.service';
import type { RunClaim } from './runs/run.types';
import { OverloadService } from './overload.service';

/** The compares in flight in this process: how many there may be, how they end, and that a shutdown waits for them. */
@Injectable()
export class RunningComparesService implements OnModuleDestroy, BeforeApplicationShutdown {
  private inFlight = 0;
  /** The compares with a waiting caller; runs have separate slots. */
  private asked = 0;
  private stopping = false;
  private onDrained: () => void = () => undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly overload: OverloadService,
  ) {}

  /**
   * Runs a compare to its end and counts its outcome, without waiting. A claimed run already has a slot and an eval id.
   * @throws ApiError overloaded above MAX_CONCURRENT_COMPARES and while this process cannot keep up, unavailable while the service stops, and what `work` throws
   */
  track(caller: Caller, command: CompareCommand, work: (run: CompareRun) => Promise<CompareOutcome>, claim?: RunClaim): Promise<CompareOutcome> {
    return inCompareSpan(claim, () => this.trackSpanned(caller, command, work, claim));
  }

  private async trackSpanned(caller: Caller, command: CompareCommand, work: (run: CompareRun) => Promise<CompareOutcome>, claim: RunClaim | undefined): Promise<CompareOutcome> {
    this.refuseWhileStopping();
    const isAsked = claim === undefined;
    if (isAsked) this.refuseAboveLimits();
    this.begin(isAsked);
    try {
      const [startedAt, startedMs] = [this.clock.now(), this.clock.monotonicMs()];
      const run: CompareRun = { caller, command, startedAt, startedMs, roundStartedMs: startedMs, vendorMs: 0, evalId: claim?.evalId ?? newId('eval', startedAt), claim };
      const outcome = await work(run);
      this.countOutcome(run, outcome);
      return outcome;
    } catch (error) {
      this.metrics.compareFailed(toApiError(error).code);
      throw error;
    } finally {
      this.end(isAsked);
    }
  }

  /** True if the service stops: a run then leaves out its optional parts. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Another round of a run begins, and with it its deadlines. */
  beginRound(run: CompareRun): void {
    run.roundStartedMs = this.clock.monotonicMs();
  }

  /** Refuses what nothing is known of yet but that it comes at the wrong time. @throws ApiError unavailable, overloaded */
  refuseWhileUnable(): void {
    this.refuseWhileStopping();
    this.overload.refuseWhileOverloaded();
  }

  /** @throws ApiError unavailable */
  refuseWhileStopping(): void {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
  }

  /** A round of a run ended; `waitedMs` is the time of its slowest vendor. */
  endRound(run: CompareRun, slowestVendorMs: number): void {
    run.vendorMs += slowestVendorMs;
  }

  /** Milliseconds since the run began. */
  elapsedMs({ startedMs }: CompareRun): number {
    return this.clock.monotonicMs() - startedMs;
  }

  /** Counts a model call of a run. */
  countModelCall({ priced: { model: { vendor, vendorModel } }, outcome }: ModelOutcome, result: Result): void {
    this.metrics.modelCallEnded({ ...result, vendor, vendorModel, ttftMs: 'failure' in outcome ? null : outcome.ttftMs });
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
      this.metrics.compareFailed(toApiError(error).code);
      throw error;
    }
  }

  private countOutcome(run: CompareRun, { stored: { record }, isReplay }: CompareOutcome): void {
    this.metrics.compares.inc({ outcome: isReplay ? 'replayed' : 'stored' });
    if (isReplay) return;
    this.metrics.evalStored({ charge: record.charge, isFree: record.isFree, overheadMs: this.elapsedMs(run) - run.vendorMs });
  }

  private begin(isAsked: boolean): void {
    this.inFlight += 1;
    this.asked += Number(isAsked);
    this.metrics.comparesRunning.inc();
  }

  private end(isAsked: boolean): void {
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
