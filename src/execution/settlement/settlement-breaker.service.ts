import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { Metrics } from '../../observability/metrics';
import { PeriodicTask } from '../../background/periodic-task';
import { urgently } from '../../database/urgency';

/** The number of consecutive failed settlements, and of their users, that suspend the service: one user's unstorable eval must not suspend it for others. */
const MAX_FAILURES = 10;
const MIN_USERS = 2;
const PROBE_INTERVAL_MS = 1000;

/** A settlement that has failed. */
export interface FailedSettlement {
  userId: string;
  /** Does again what it did and takes it back. */
  rehearse: () => Promise<void>;
}

/** Refuses compares while evals cannot be stored, because each would be paid for and lost; finds out by itself when they can be stored again. */
@Injectable()
export class SettlementBreakerService implements OnModuleDestroy {
  private readonly log = new Logger(SettlementBreakerService.name);
  /** The last settlements, as long as all of them failed. */
  private failures: FailedSettlement[] = [];
  private probes: PeriodicTask | undefined;
  private stopping = false;

  constructor(private readonly metrics: Metrics) {}

  onModuleDestroy(): void {
    this.stopping = true;
    void this.probes?.stop();
  }

  /** @throws ApiError unavailable */
  refuseWhileOpen(): void {
    if (this.probes === undefined) return;
    throw new ApiError('unavailable', { message: 'Evals cannot be stored at the moment, so none is started; nothing was charged. Try again after Retry-After seconds.', retryAfterSeconds: 1 });
  }

  /** A settlement has succeeded: compares are taken. */
  recordSuccess(): void {
    this.failures = [];
    if (this.probes === undefined) return;
    void this.probes.stop();
    this.probes = undefined;
    this.metrics.comparesSuspended.set(0);
    this.log.warn('Evals can be stored again; compares are accepted.');
  }

  /** A settlement has failed for good. Its rehearsal shows later whether the next one would succeed. */
  recordFailure(failure: FailedSettlement, cause: unknown): void {
    this.failures = [...this.failures, failure].slice(-MAX_FAILURES);
    if (this.failures.length === MAX_FAILURES && new Set(this.failures.map(({ userId }) => userId)).size >= MIN_USERS) this.open(cause);
  }

  private open(cause: unknown): void {
    if (this.probes !== undefined || this.stopping) return;
    this.metrics.comparesSuspended.set(1);
    this.log.error({ err: cause, msg: `The last ${MAX_FAILURES} evals could not be stored; compares are refused until one can be.` });
    this.probes = new PeriodicTask({ pauseMs: PROBE_INTERVAL_MS, runBatch: () => this.probe(), onFailure: () => undefined });
    this.probes.start();
  }

  private async probe(): Promise<boolean> {
    const [next, ...others] = this.failures;
    if (next === undefined) return false;
    // In turn, so that one unstorable eval does not represent all.
    this.failures = [...others, next];
    await urgently(() => next.rehearse());
    this.recordSuccess();
    return false;
  }
}
