import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Clock } from '../common/clock';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import { newId } from '../common/ids';
import { Metrics } from '../common/metrics';
import type { Result } from '../evals/result.entity';
import { toApiError } from '../http/error.filter';
import type { CompareCommand, CompareOutcome, CompareRun } from './compare.types';
import { OverloadService } from './overload.service';

/** The compares in flight in this process: how many there may be, how they end, and that a shutdown waits for them. */
@Injectable()
export class RunningComparesService implements OnModuleDestroy, BeforeApplicationShutdown {
  private inFlight = 0;
  private stopping = false;
  private onDrained: () => void = () => undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly overload: OverloadService,
  ) {}

  /**
   * Runs a compare to its end and counts how it ended; nothing waits in a queue.
   * @throws ApiError overloaded above MAX_CONCURRENT_COMPARES and while this process cannot keep up, unavailable while the service stops, and what `work` throws
   */
  async track(caller: Caller, command: CompareCommand, work: (run: CompareRun) => Promise<CompareOutcome>): Promise<CompareOutcome> {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
    this.refuseAboveLimits();
    this.begin();
    try {
      const [startedAt, startedMs] = [this.clock.now(), this.clock.monotonicMs()];
      const outcome = await work({ caller, command, startedAt, startedMs, roundStartedMs: startedMs, evalId: newId('eval', startedAt) });
      this.metrics.compares.inc({ outcome: outcome.isReplay ? 'replayed' : 'stored' });
      return outcome;
    } catch (error) {
      this.metrics.compareFailed(toApiError(error).code);
      throw error;
    } finally {
      this.end();
    }
  }

  /** Whether the service stops: what a run may leave out, it leaves out. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Another round of a run begins, and with it its deadlines. */
  beginRound(run: CompareRun): void {
    run.roundStartedMs = this.clock.monotonicMs();
  }

  /** Milliseconds since the run began. */
  elapsedMs({ startedMs }: CompareRun): number {
    return this.clock.monotonicMs() - startedMs;
  }

  /** Counts a model call of a run. */
  countModelCall(vendor: string, result: Result): void {
    this.metrics.modelCallEnded(vendor, result);
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
      if (this.inFlight >= this.config.MAX_CONCURRENT_COMPARES) throw tooMany(this.config.MAX_CONCURRENT_COMPARES);
    } catch (error) {
      this.metrics.compareFailed(toApiError(error).code);
      throw error;
    }
  }

  private begin(): void {
    this.inFlight += 1;
    this.metrics.comparesInFlight.inc();
  }

  private end(): void {
    this.inFlight -= 1;
    this.metrics.comparesInFlight.dec();
    if (this.inFlight === 0) this.onDrained();
  }
}

function tooMany(limit: number): ApiError {
  return new ApiError('overloaded', {
    message: `The service is running ${limit} compares, as many as it takes at once; nothing was run or charged. Try again after Retry-After seconds.`,
    retryAfterSeconds: 1,
  });
}
