import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Drain } from '../../platform/background/drain';
import { ApiError } from '../../common/errors';
import { Metrics } from '../../platform/observability/metrics';
import { PeriodicTask } from '../../platform/background/periodic-task';
import { withTimeout } from '../../common/with-timeout';
import { aheadOfDatabaseMs } from '../../platform/database/clock-difference';
import { NOT_MIGRATED } from '../../platform/database/explain-database-error';
import { isSchemaOutdated } from '../../common/is-database-unavailable';
import { migrationNames } from '../../platform/database/migrate';
import { SqlService } from '../../platform/database/sql.service';
import { urgently } from '../../platform/database/urgency';

/** How long the database may take to respond, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;
/** How often schema and clock are looked at for the metrics, whether or not anybody probes. */
const SCHEMA_INTERVAL_MS = 30_000;

const STOPPING = 'The service is stopping.';
const UNREACHABLE = 'The database is unreachable.';

const COUNT_APPLIED = 'select count(distinct name)::integer as count from migrations where name = any($1)';

/**
 * True if this process can serve requests: the database responds, all migrations of this build are applied, and the
 * process is not shutting down.
 */
@Injectable()
export class ReadinessService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(ReadinessService.name);
  private readonly needed: string[];
  private reason: string | undefined;
  private probe: Promise<string | undefined> | undefined;
  private readonly task = new PeriodicTask({
    name: 'schema',
    pauseMs: SCHEMA_INTERVAL_MS,
    runBatch: async () => {
      await this.countPending();
      await this.measureClock();
      return false;
    },
    // A probe says it.
    onFailure: () => undefined,
  });

  constructor(
    private readonly sql: SqlService,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    orm: MikroORM,
  ) {
    this.needed = migrationNames(orm);
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  // While the database is still there.
  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** The error to answer a probe with; undefined when ready. Every transition is logged once. */
  async check(): Promise<ApiError | undefined> {
    if (this.drain.isDraining) return notReady(STOPPING);
    // Concurrent probes share one query.
    this.probe ??= this.queryDatabase().finally(() => {
      this.probe = undefined;
    });
    const reason = await this.probe;
    if (reason !== this.reason) this.log.warn(reason === undefined ? 'ready again' : `not ready: ${reason}`);
    this.reason = reason;
    return reason === undefined ? undefined : notReady(reason);
  }

  private async queryDatabase(): Promise<string | undefined> {
    try {
      return (await this.countPending()) === 0 ? undefined : NOT_MIGRATED;
    } catch {
      return UNREACHABLE;
    }
  }

  private async measureClock(): Promise<void> {
    const aheadMs = await aheadOfDatabaseMs(
      async (text) => (await this.sql.queryOne<{ ms: number }>(text, [])) ?? { ms: NaN },
      this.clock,
    );
    this.metrics.clockOffset.set(aheadMs / 1000);
  }

  /** Migrations of this build that the database lacks. @throws what the driver throws */
  private async countPending(): Promise<number> {
    const pending = this.needed.length - (await this.countApplied());
    this.metrics.migrationsPending.set(pending);
    return pending;
  }

  private async countApplied(): Promise<number> {
    try {
      const row = await withTimeout(
        PROBE_TIMEOUT_MS,
        urgently(() => this.sql.queryOne<{ count: number }>(COUNT_APPLIED, [this.needed])),
      );
      return row?.count ?? 0;
    } catch (error) {
      if (isSchemaOutdated(error)) return 0;
      throw error;
    }
  }
}

function notReady(message: string): ApiError {
  return new ApiError('unavailable', { message, retryAfterSeconds: 1 });
}
