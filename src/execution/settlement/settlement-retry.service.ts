import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../config/config';
import { ApiError } from '../../common/errors';
import { Metrics } from '../../observability/metrics';
import { isDatabaseUnavailable, isStatementRefused } from '../../database/is-database-unavailable';
import { urgently } from '../../database/urgency';
import { SettlementBreakerService } from './settlement-breaker.service';
import { LockLostError } from '../job-lock';
import { toLogEvent, type UnstoredEval } from './unstored-eval';

const INITIAL_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 500;

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

/** Keeps on storing an eval while the database is unreachable, since its vendors are already paid for; what cannot be stored is logged for the operator and counted by the breaker. */
@Injectable()
export class SettlementRetryService implements OnModuleDestroy {
  private readonly log = new Logger(SettlementRetryService.name);
  private stopping = false;

  constructor(
    private readonly breaker: SettlementBreakerService,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** A stopping process does not wait for an unreachable database; the log keeps the eval. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** @throws ApiError unavailable while evals cannot be stored */
  refuseWhileFailing(): void {
    this.breaker.refuseWhileOpen();
  }

  /**
   * Tries until EVAL_TIMEOUT_MS after `startedMs`, at least once.
   * @throws ApiError unavailable if the database did not recover in time; rethrows any other error
   */
  async run<T>(settlement: RetriedSettlement<T>): Promise<T> {
    const deadline = settlement.startedMs + this.config.EVAL_TIMEOUT_MS;
    for (let backoffMs = INITIAL_BACKOFF_MS, isRetry = false; ; backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS), isRetry = true) {
      try {
        const settled = await urgently(() => settlement.attempt(isRetry));
        this.breaker.recordSuccess();
        return settled;
      } catch (error) {
        if (error instanceof LockLostError) throw this.discard(settlement, error);
        const isWorthRetrying = (isDatabaseUnavailable(error) || isStatementRefused(error)) && !this.stopping && this.clock.monotonicMs() + backoffMs < deadline;
        if (!isWorthRetrying) throw this.giveUp(settlement, error);
        await delay(backoffMs);
      }
    }
  }

  /** Another process runs the job again and stores its eval; the operator pays for these answers. */
  private discard({ unstored: { record } }: RetriedSettlement<unknown>, cause: LockLostError): LockLostError {
    this.metrics.unstoredCost.inc(Number(record.totalCost.toString()));
    this.log.warn(`The answers for ${record.id} are discarded; they cost ${record.totalCost.toString()} USD. ${cause.message}`);
    return cause;
  }

  private giveUp({ unstored, rehearse }: RetriedSettlement<unknown>, cause: unknown): unknown {
    this.metrics.unstoredEvals.inc();
    this.metrics.unstoredCost.inc(Number(unstored.record.totalCost.toString()));
    this.log.error(toLogEvent(unstored, this.config.LOG_PROMPTS));
    const error = isDatabaseUnavailable(cause)
      ? new ApiError('unavailable', { message: 'The models answered, but the eval could not be stored; it is not charged. Try again after Retry-After seconds.', retryAfterSeconds: 1, cause })
      : cause;
    this.breaker.recordFailure({ userId: unstored.record.userId, rehearse }, error);
    return error;
  }
}
