import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../common/config';
import { isDatabaseUnavailable, isStatementRefused } from '../../database/is-database-unavailable';
import { ApiError } from '../../common/errors';
import { Metrics } from '../../common/metrics';
import { eventOf, type UnstoredEval } from './unstored-eval';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;

/** Keeps on storing an eval while the database is away, since its vendors are already paid for; what cannot be stored is told to the operator. */
@Injectable()
export class SettlementRetryService implements OnModuleDestroy {
  private readonly log = new Logger(SettlementRetryService.name);
  private stopping = false;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Whoever stops the process will not wait for a database that is away; the log keeps what it would have stored. */
  onModuleDestroy(): void {
    this.stopping = true;
  }

  /**
   * Tries until EVAL_TIMEOUT_MS after `begunMs` (monotonic), at least once. A try after the first must expect that an earlier one was committed and only its answer lost.
   * @throws ApiError unavailable when the database did not come back in time; any other error as it was
   */
  async run<T>(begunMs: number, attempt: (isRetry: boolean) => Promise<T>, lost: () => UnstoredEval): Promise<T> {
    const deadline = begunMs + this.config.EVAL_TIMEOUT_MS;
    for (let waitMs = FIRST_WAIT_MS, isRetry = false; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS), isRetry = true) {
      try {
        return await attempt(isRetry);
      } catch (error) {
        if ((isDatabaseUnavailable(error) || isStatementRefused(error)) && !this.stopping && this.clock.monotonicMs() + waitMs < deadline) {
          await delay(waitMs);
        } else {
          throw this.givenUp(lost(), error);
        }
      }
    }
  }

  private givenUp(lost: UnstoredEval, cause: unknown): unknown {
    this.metrics.unstoredEvals.inc();
    this.metrics.unstoredCost.inc(Number(lost.record.totalCost.toString()));
    this.log.error(eventOf(lost, this.config.LOG_PROMPTS));
    if (!isDatabaseUnavailable(cause)) return cause;
    return new ApiError('unavailable', { message: 'The models answered, but the eval could not be stored; it is not charged. Try again after Retry-After seconds.', retryAfterSeconds: 1, cause });
  }
}
