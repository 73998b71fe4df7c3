import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Config } from '../../../platform/config/config';
import { ApiError } from '../../../common/errors';
import { PeriodicTask } from '../../../platform/background/periodic-task';
import { Metrics } from '../../../platform/observability/metrics';
import { isDatabaseUnavailable, isStatementRefused } from '../../../common/is-database-unavailable';
import { urgently } from '../../../platform/database/urgency';
import { LockLostError } from '../job-lock';
import { toLogEvent, type UnstoredEval } from './unstored-eval';

const INITIAL_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 500;

/**
 * The number of consecutive failed settlements, and of their users, that suspend the service: one user's unstorable
 * eval must not suspend it for others.
 */
const MAX_FAILURES = 10;
const MIN_USERS = 2;
const PROBE_INTERVAL_MS = 1000;

/** A settlement that has failed. */
export interface FailedSettlement {
  userId: string;
  /** Does again what it did and takes it back. */
  rehearse: () => Promise<void>;
}

/** A settlement that may be tried more than once. */
export interface RetriedSettlement<T> {
  /** Start of the eval's last round on the monotonic clock. */
  startedMs: number;
  unstored: UnstoredEval;
  /** Stores the eval. A try after the first must expect that an earlier one was committed and only its answer lost. */
  attempt: (isRetry: boolean) => Promise<T>;
  /** Does what storing it does and takes it back. */
  rehearse: () => Promise<void>;
}

/**
 * Keeps on storing an eval while the database is unreachable, since its vendors are already paid for. An eval that
 * cannot be stored is logged for the operator. After ten of them,
 * compares are refused until a lost eval can be stored.
 */
@Injectable()
export class SettlementRetryService implements OnModuleDestroy {
  private readonly log = new Logger(SettlementRetryService.name);
  private stopping = false;
  /** The last settlements, as long as all of them failed. */
  private failures: FailedSettlement[] = [];
  private probes: PeriodicTask | undefined;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** A stopping process does not wait for an unreachable database; the log keeps the eval. */
  onModuleDestroy(): void {
    this.stopping = true;
    void this.probes?.stop();
  }

  /** @throws ApiError unavailable while evals cannot be stored: each would be paid for and lost */
  refuseWhileFailing(): void {
    if (this.probes === undefined) return;
    throw new ApiError('unavailable', {
      message:
        'Evals cannot be stored at the moment, so none is started; nothing was charged. Try again after Retry-After seconds.',
      retryAfterSeconds: 1,
    });
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
    if (this.failures.length === MAX_FAILURES && new Set(this.failures.map(({ userId }) => userId)).size >= MIN_USERS)
      this.open(cause);
  }

  /**
   * Tries until EVAL_TIMEOUT_MS after `startedMs`, at least once.
   * @throws ApiError unavailable if the database did not recover in time; rethrows any other error
   */
  async run<T>(settlement: RetriedSettlement<T>): Promise<T> {
    const deadline = settlement.startedMs + this.config.EVAL_TIMEOUT_MS;
    for (
      let backoffMs = INITIAL_BACKOFF_MS, isRetry = false;
      ;
      backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS), isRetry = true
    ) {
      try {
        const settled = await urgently(() => settlement.attempt(isRetry));
        this.recordSuccess();
        return settled;
      } catch (error) {
        if (error instanceof LockLostError) throw this.discard(settlement, error);
        const isWorthRetrying =
          (isDatabaseUnavailable(error) || isStatementRefused(error)) &&
          !this.stopping &&
          this.clock.monotonicMs() + backoffMs < deadline;
        if (!isWorthRetrying) throw this.giveUp(settlement, error);
        await delay(backoffMs);
      }
    }
  }

  /** Another process runs the job again and stores its eval; the operator pays for these answers. */
  private discard({ unstored: { record } }: RetriedSettlement<unknown>, cause: LockLostError): LockLostError {
    this.metrics.unstoredCost.inc(Number(record.totalCost.toString()));
    this.log.warn(
      `The answers for ${record.id} are discarded; they cost ${record.totalCost.toString()} USD. ${cause.message}`,
    );
    return cause;
  }

  private giveUp({ unstored, rehearse }: RetriedSettlement<unknown>, cause: unknown): unknown {
    this.metrics.unstoredEvals.inc();
    this.metrics.unstoredCost.inc(Number(unstored.record.totalCost.toString()));
    this.log.error(toLogEvent(unstored, this.config.LOG_PROMPTS));
    const error = isDatabaseUnavailable(cause)
      ? new ApiError('unavailable', {
          message:
            'The models answered, but the eval could not be stored; it is not charged. Try again after Retry-After seconds.',
          retryAfterSeconds: 1,
          cause,
        })
      : cause;
    this.recordFailure({ userId: unstored.record.userId, rehearse }, error);
    return error;
  }

  private open(cause: unknown): void {
    if (this.probes !== undefined || this.stopping) return;
    this.metrics.comparesSuspended.set(1);
    this.log.error({
      err: cause,
      msg: `The last ${MAX_FAILURES} evals could not be stored; compares are refused until one can be.`,
    });
    this.probes = new PeriodicTask({
      pauseMs: PROBE_INTERVAL_MS,
      runBatch: () => this.probe(),
      onFailure: () => undefined,
    });
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
