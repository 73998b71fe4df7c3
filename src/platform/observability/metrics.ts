import type { Money } from '../../common/money';
import { commit, version } from '../../common/version';
import { MetricTable } from './metric-table';
import { providerName } from './semantic-conventions';

/** The part of a pool of connections that the metrics watch. */
interface WatchedPool {
  totalCount: number;
  idleCount: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

/** The part of a finished model call that the metrics record. */
interface ModelCallSample {
  /** Vendor of the catalog. */
  vendor: string;
  /** Id in the catalog. */
  model: string;
  /** The model that the vendor was asked for. */
  vendorModel: string;
  error: { code: string } | null;
  latencyMs: number;
  ttftMs: number | null;
  inputTokens: number;
  outputTokens: number;
  cost: Money;
}

/** SQLSTATE disk_full. */
const DISK_FULL = '53100';

/** Observations that are written at once at the latest; every scrape writes what there is. */
const BATCH = 500;

/** The metrics (metric-table.ts), and how they are recorded. */
export class Metrics extends MetricTable {
  private pool: WatchedPool | undefined;
  /** Observations that no scrape could show yet. */
  private readonly pending: (() => void)[] = [];
  /** Tasks that have ended a round well. */
  private readonly startedTasks = new Set<string>();

  constructor() {
    super();
    this.buildInfo.set({ version, commit, node: process.version }, 1);
    // These have no value until somebody knows it.
    for (const gauge of [this.migrationsPending, this.clockOffset, this.sharedStoreUp, this.meterEventsOldest])
      gauge.remove();
  }

  /** Adds the use of that pool to the metrics. */
  watchPool(pool: WatchedPool): void {
    this.pool = pool;
  }

  /** Records a statement that the database has answered, or has not; with the error, if there was one. */
  statementEnded(statement: string, seconds: number, error?: unknown): void {
    if ((error as { code?: unknown } | undefined)?.code === DISK_FULL) this.databaseFull.inc();
    this.observeLater(() => this.statementSeconds.observe({ statement }, seconds));
  }

  /** Records the end of a round of a periodic task. */
  taskEnded(task: string, isSuccess: boolean): void {
    if (isSuccess) {
      this.startedTasks.add(task);
      this.taskLastSuccess.setToCurrentTime({ task });
    } else if (!this.startedTasks.has(task)) this.taskLastSuccess.set({ task }, 0);
  }

  /** Records a finished model call. */
  modelCallEnded({
    vendor,
    model,
    vendorModel,
    error,
    latencyMs,
    ttftMs,
    inputTokens,
    outputTokens,
    cost,
  }: ModelCallSample): void {
    const labels = {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: providerName(vendor),
      gen_ai_request_model: vendorModel,
    };
    const errorCode = error?.code;
    // Names these few values only: the rest of the sample, as the text of an answer, is not kept until then.
    this.observeLater(() => {
      this.modelCallSeconds.observe(
        errorCode === undefined ? labels : { ...labels, error_type: errorCode },
        latencyMs / 1000,
      );
      if (errorCode !== undefined) return;
      if (ttftMs !== null) this.firstChunkSeconds.observe(labels, ttftMs / 1000);
      this.modelTokens.observe({ ...labels, gen_ai_token_type: 'input' }, inputTokens);
      this.modelTokens.observe({ ...labels, gen_ai_token_type: 'output' }, outputTokens);
      this.vendorCost.inc({ provider: vendor, model }, Number(cost.toString()));
    });
  }

  /** Records a stored eval: what is charged for it, and what its compare took beyond the vendors' time. */
  evalStored({ charge, isFree, overheadMs }: { charge: Money; isFree: boolean; overheadMs: number }): void {
    if (isFree) this.freeEvals.inc();
    else this.charges.inc(Number(charge.toString()));
    this.compareOverhead.observe(overheadMs / 1000);
  }

  /** Records a compare that ended without an eval, under the error code its caller receives. */
  compareFailed(code: string): void {
    this.compares.inc({ outcome: code });
  }

  /** Records an error body. */
  errorSent(code: string): void {
    this.errors.inc({ code });
    if (REFUSALS.has(code)) this.refusals.inc({ reason: code });
  }

  /**
   * Queues an observation for the next batch: every compare makes a dozen, and a single one costs three times as much
   * as one in a batch.
   */
  private observeLater(observe: () => void): void {
    this.pending.push(observe);
    if (this.pending.length >= BATCH) this.observePending();
  }

  protected override observePending(): void {
    for (const observe of this.pending.splice(0)) observe();
  }

  protected override readPool(): void {
    if (this.pool === undefined) return;
    const { totalCount, idleCount, waiting } = this.pool;
    this.databaseConnections.set({ state: 'used' }, totalCount - idleCount);
    this.databaseConnections.set({ state: 'idle' }, idleCount);
    this.databaseWaiting.set(waiting);
  }
}

/** Codes that say that a limit is reached: of money, of rate, or of the process. */
const REFUSALS: ReadonlySet<string> = new Set([
  'payment_required',
  'spend_limit_reached',
  'key_spend_limit_reached',
  'max_cost_exceeded',
  'rate_limited',
  'overloaded',
]);
