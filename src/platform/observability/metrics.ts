import { Counter, Gauge, Histogram, Registry, type Aggregator } from 'prom-client';
import {
  GENAI_DURATION_BUCKETS,
  GENAI_TOKEN_BUCKETS,
  HTTP_DURATION_BUCKETS,
  providerName,
} from './semantic-conventions';
import type { Money } from '../../common/money';
import { commit, version } from '../../common/version';

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

interface GaugeOptions<Label extends string> {
  labelNames?: readonly Label[];
  collect?: () => void;
  /** The aggregation of several workers' values, if they are not added up. */
  aggregator?: Aggregator;
}

/** SQLSTATE disk_full. */
const DISK_FULL = '53100';

/** Observations that are written at once at the latest; every scrape writes what there is. */
const BATCH = 500;

/** Labels of the GenAI conventions; `error_type` is empty for a call that was answered. */
const GENAI_LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'];

/**
 * All Prometheus metrics of the service. They have OpenTelemetry's names where these exist; the others begin with
 * `mcs_`.
 * Label values come from fixed sets, never from a request, so that cardinality stays bounded. Amounts are floats here:
 * they are monitored, never billed.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly requestSeconds = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its response.',
    labelNames: ['http_route', 'http_request_method', 'http_response_status_code'],
    buckets: HTTP_DURATION_BUCKETS,
    registers: [this.registry],
  });
  readonly errors = this.counter('mcs_errors_total', 'Error bodies sent, also as the last event of a stream.', [
    'code',
  ]);
  /** Requests that were refused because of a limit, before any vendor was called. */
  readonly refusals = this.counter(
    'mcs_refusals_total',
    'Requests refused because of a limit, before any vendor was called.',
    ['reason'],
  );

  /** Finished compares by outcome: `stored`, `replayed`, or an error code. */
  readonly compares = this.counter('mcs_compares_total', 'Finished compares.', ['outcome']);
  readonly comparesRunning = this.gauge('mcs_compares_running', 'Compares in progress, runs included.');
  readonly streamsOpen = this.gauge('mcs_streams_open', 'Event streams in progress.');
  readonly compareOverhead = new Histogram({
    name: 'mcs_compare_overhead_seconds',
    help: 'Seconds that a stored compare took beyond the slowest model call of each of its rounds.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.registry],
  });
  /** 1 while compares are refused because no eval can be stored. */
  readonly comparesSuspended = this.gauge(
    'mcs_compares_suspended',
    '1 while compares are refused because recent evals could not be stored.',
    { aggregator: 'max' },
  );
  /** Rows by their end in this process: `done`, `failed`, `waiting` to be scheduled again, or `lost` to another process. */
  readonly experimentRows = this.counter(
    'mcs_experiment_rows_total',
    'Rows of experiments that this process has stopped working on.',
    ['outcome'],
  );
  /** Experiments that this process has paused because the next row might exceed their cap. */
  readonly experimentCapsReached = this.counter(
    'mcs_experiment_caps_reached_total',
    'Experiments paused because the next row might exceed their cap.',
  );
  readonly experiments = this.gauge('mcs_experiments', 'Experiments that have not ended, and those being erased.', {
    labelNames: ['state'],
    aggregator: 'max',
  });
  readonly experimentRowsWaiting = this.gauge(
    'mcs_experiment_rows_waiting',
    'Rows of running experiments that no process works on.',
    { aggregator: 'max' },
  );
  readonly experimentsSilent = this.gauge(
    'mcs_experiments_silent_seconds',
    'Seconds since the last row was dealt of the running experiment for which that is longest; 0 without one.',
    { aggregator: 'max' },
  );
  /**
   * Runs by their outcome in this process: `succeeded`, `failed`, `requeued`, or `lost` to another
   * process.
   */
  readonly runs = this.counter('mcs_runs_total', 'Runs that this process has stopped working on.', ['outcome']);

  readonly modelCallSeconds = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Seconds that a model call took: its successful attempt, or all attempts of a failed one.',
    labelNames: [...GENAI_LABELS, 'error_type'],
    buckets: GENAI_DURATION_BUCKETS,
    collect: () => this.observePending(),
    registers: [this.registry],
  });
  readonly firstChunkSeconds = new Histogram({
    name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
    help: 'Seconds to the first text of an answered model call.',
    labelNames: GENAI_LABELS,
    buckets: GENAI_DURATION_BUCKETS,
    collect: () => this.observePending(),
    registers: [this.registry],
  });
  readonly modelTokens = new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Billed tokens of answered model calls.',
    labelNames: [...GENAI_LABELS, 'gen_ai_token_type'],
    buckets: GENAI_TOKEN_BUCKETS,
    collect: () => this.observePending(),
    registers: [this.registry],
  });
  /** `first`, or the error code of the attempt before. */
  readonly vendorAttempts = this.counter(
    'mcs_vendor_attempts_total',
    'Attempts of model calls by what made them necessary.',
    ['provider', 'reason'],
  );
  readonly vendorCost = this.counter(
    'mcs_vendor_cost_usd_total',
    'Vendor cost in USD of answered model calls.',
    ['provider', 'model'],
    () => this.observePending(),
  );
  /** Cost in USD of tokens that vendors reported above the possible maximum; callers are not charged for them. */
  readonly usageAboveLimit = this.counter(
    'mcs_usage_above_limit_usd_total',
    'Vendor cost in USD of tokens reported above the possible maximum, which callers are not charged for.',
    ['provider'],
  );
  /**
   * USD that vendors state above the list price; callers are not charged for them. Steady growth shows a price in the
   * catalog that is too low.
   */
  readonly statedAboveList = this.counter(
    'mcs_stated_above_list_usd_total',
    'USD that vendors state above the list price of the catalog, which callers are not charged for.',
    ['provider'],
  );
  readonly substitutions = this.counter(
    'mcs_model_substitutions_total',
    'Answers of another model than the requested one, by the name in the answer.',
    ['provider'],
  );
  /** Cost in USD of substituted answers that callers refused with `exact_model`, and so are not charged for. */
  readonly refusedSubstitutes = this.counter(
    'mcs_refused_substitutes_usd_total',
    'Vendor cost in USD of answers of another model, which callers refused and are not charged for.',
    ['provider'],
  );

  readonly charges = this.counter('mcs_charge_usd_total', 'USD charged for stored evals.');
  readonly freeEvals = this.counter('mcs_free_evals_total', 'Stored evals that were free.');
  readonly reservationsOpen = this.gauge(
    'mcs_reservations_open',
    'Reservations that this process holds for evals that run.',
  );
  readonly reservationsRenewedLate = this.counter(
    'mcs_reservations_renewed_late_total',
    'Reservations of running evals that were renewed after they had expired.',
  );
  /** Evals whose vendors responded but which could not be stored. */
  readonly unstoredEvals = this.counter(
    'mcs_unstored_evals_total',
    'Evals whose vendors responded but which could not be stored.',
  );
  /** The vendors' charges for unstored evals, in USD. */
  readonly unstoredCost = this.counter(
    'mcs_unstored_vendor_cost_usd_total',
    'Vendor cost in USD of evals that could not be stored.',
  );
  readonly databaseConnections = this.gauge('mcs_database_connections', 'Connections of the pool.', {
    labelNames: ['state'],
    collect: () => this.readPool(),
  });
  /** Set together with the connections. */
  readonly databaseWaiting = this.gauge('mcs_database_waiting', 'Requests that wait for a connection of the pool.');
  readonly statementSeconds = new Histogram({
    name: 'mcs_database_statement_seconds',
    help: 'Seconds from sending a statement to its answer; those without a name of their own are other.',
    labelNames: ['statement'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    collect: () => this.observePending(),
    registers: [this.registry],
  });
  readonly databaseFull = this.counter(
    'mcs_database_disk_full_total',
    'Statements that the database refused because its disk is full.',
  );
  /** Seconds by which the clock of this process is ahead of the database's, at least; negative when it is behind. */
  readonly clockOffset = this.gauge(
    'mcs_clock_offset_seconds',
    "Seconds by which the clock of the process is ahead of the database's.",
    { aggregator: 'first' },
  );
  readonly migrationsPending = this.gauge(
    'mcs_migrations_pending',
    'Migrations of this build that the database lacks.',
    { aggregator: 'max' },
  );
  /** Without a value where there is no such store. */
  readonly sharedStoreUp = this.gauge('mcs_shared_store_up', '1 while the Redis of the rate limits answers.', {
    aggregator: 'min',
  });
  /** Requests that a rate limit let pass because Redis did not respond. */
  readonly rateLimitsFailedOpen = this.counter(
    'mcs_rate_limits_failed_open_total',
    'Requests allowed because the rate limit store did not respond.',
  );

  readonly logLinesDropped = this.counter('mcs_log_lines_dropped_total', 'Lines of the log that could not be written.');
  readonly meterEvents = this.gauge(
    'mcs_meter_events',
    'Meter events that have not reached the payment provider: waiting, or parked for the operator.',
    { labelNames: ['state'], aggregator: 'max' },
  );
  readonly meterEventsOldest = this.gauge(
    'mcs_meter_events_oldest_seconds',
    'Age of the oldest meter event that waits.',
    { aggregator: 'max' },
  );
  readonly taskLastSuccess = this.gauge(
    'mcs_task_last_success_timestamp_seconds',
    'When a periodic task last ended a round well; 0 if it has failed since the start.',
    { labelNames: ['task'], aggregator: 'max' },
  );
  /** 0 before the first check; without values where no vendor has a key. */
  readonly catalogFindings = this.gauge(
    'mcs_catalog_findings',
    'Differences between the catalog and the Models APIs of the vendors at the last check.',
    { labelNames: ['kind'], aggregator: 'max' },
  );
  readonly buildInfo = this.gauge('mcs_build_info', 'Always 1; says what runs.', {
    labelNames: ['version', 'commit', 'node'],
    aggregator: 'first',
  });

  private pool: WatchedPool | undefined;
  /** Observations that no scrape could show yet. */
  private readonly pending: (() => void)[] = [];
  /** Tasks that have ended a round well. */
  private readonly startedTasks = new Set<string>();

  constructor() {
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

  private observePending(): void {
    for (const observe of this.pending.splice(0)) observe();
  }

  private readPool(): void {
    if (this.pool === undefined) return;
    const { totalCount, idleCount, waiting } = this.pool;
    this.databaseConnections.set({ state: 'used' }, totalCount - idleCount);
    this.databaseConnections.set({ state: 'idle' }, idleCount);
    this.databaseWaiting.set(waiting);
  }

  private counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    collect?: () => void,
  ): Counter<Label> {
    return new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect !== undefined && { collect }),
    });
  }

  private gauge<Label extends string>(name: string, help: string, options: GaugeOptions<Label> = {}): Gauge<Label> {
    return new Gauge({ name, help, registers: [this.registry], ...options });
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
