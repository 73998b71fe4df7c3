import { Counter, Gauge, Histogram, Registry, type Aggregator } from 'prom-client';
import { GENAI_DURATION_BUCKETS, GENAI_TOKEN_BUCKETS, HTTP_DURATION_BUCKETS } from './semantic-conventions';

interface GaugeOptions<Label extends string> {
  labelNames?: readonly Label[];
  collect?: () => void;
  /** The aggregation of several workers' values, if they are not added up. */
  aggregator?: Aggregator;
}

/** Labels of the GenAI conventions; `error_type` is empty for a call that was answered. */
const GENAI_LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'];

/**
 * All Prometheus metrics of the service. They have OpenTelemetry's names where these exist; the others begin with
 * `mcs_`.
 * Label values come from fixed sets, never from a request, so that cardinality stays bounded. Amounts are floats here:
 * they are monitored, never billed.
 */
export abstract class MetricTable {
  readonly registry = new Registry();

  readonly requestSeconds = this.histogram(
    'http_server_request_duration_seconds',
    'Seconds from the arrival of a request to the end of its response.',
    HTTP_DURATION_BUCKETS,
    ['http_route', 'http_request_method', 'http_response_status_code'],
  );
  readonly errors = this.counter('mcs_errors_total', 'Error bodies sent, also as the last event of a stream.', [
    'code',
  ]);
  readonly refusals = this.counter(
    'mcs_refusals_total',
    'Requests refused because of a limit, before any vendor was called.',
    ['reason'],
  );

  /** Finished compares by outcome: `stored`, `replayed`, or an error code. */
  readonly compares = this.counter('mcs_compares_total', 'Finished compares.', ['outcome']);
  readonly comparesRunning = this.gauge('mcs_compares_running', 'Compares in progress, runs included.');
  readonly streamsOpen = this.gauge('mcs_streams_open', 'Event streams in progress.');
  readonly compareOverhead = this.histogram(
    'mcs_compare_overhead_seconds',
    'Seconds that a stored compare took beyond the slowest model call of each of its rounds.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  );
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

  readonly modelCallSeconds = this.histogram(
    'gen_ai_client_operation_duration_seconds',
    'Seconds that a model call took: its successful attempt, or all attempts of a failed one.',
    GENAI_DURATION_BUCKETS,
    [...GENAI_LABELS, 'error_type'],
    () => this.observePending(),
  );
  readonly firstChunkSeconds = this.histogram(
    'gen_ai_client_operation_time_to_first_chunk_seconds',
    'Seconds to the first text of an answered model call.',
    GENAI_DURATION_BUCKETS,
    GENAI_LABELS,
    () => this.observePending(),
  );
  readonly modelTokens = this.histogram(
    'gen_ai_client_token_usage',
    'Billed tokens of answered model calls.',
    GENAI_TOKEN_BUCKETS,
    [...GENAI_LABELS, 'gen_ai_token_type'],
    () => this.observePending(),
  );
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
  readonly unstoredEvals = this.counter(
    'mcs_unstored_evals_total',
    'Evals whose vendors responded but which could not be stored.',
  );
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
  readonly statementSeconds = this.histogram(
    'mcs_database_statement_seconds',
    'Seconds from sending a statement to its answer; those without a name of their own are other.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ['statement'],
    () => this.observePending(),
  );
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

  /** Writes what was observed since the last scrape. */
  protected abstract observePending(): void;

  /** Reads the pool of connections. */
  protected abstract readPool(): void;

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

  private histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
    collect?: () => void,
  ): Histogram<Label> {
    const options = { name, help, buckets, labelNames, registers: [this.registry] };
    return new Histogram(collect === undefined ? options : { ...options, collect });
  }
}
