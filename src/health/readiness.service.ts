import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { Drain } from '../common/drain';
import { ApiError } from '../common/errors';
import { withTimeout } from '../common/with-timeout';
import { isSchemaOutdated } from '../database/is-database-unavailable';
import { migrationNames } from '../database/migrate';
import { SqlService } from '../database/sql.service';

/** How long the database may take to respond, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;

const STOPPING = 'The service is stopping.';
const UNREACHABLE = 'The database is unreachable.';
const NOT_MIGRATED = 'The database lacks migrations of this version; run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js).';

/** Whether this process can serve requests: the database responds, all migrations of this build are applied, and the process is not shutting down. */
@Injectable()
export class ReadinessService {
  private readonly log = new Logger(ReadinessService.name);
  private readonly needed: string[];
  private reason: string | undefined;
  private probe: Promise<string | undefined> | undefined;

  constructor(
    private readonly sql: SqlService,
    private readonly drain: Drain,
    orm: MikroORM,
  ) {
    this.needed = migrationNames(orm);
  }

  /** The error to answer a probe with; undefined when ready. Every transition is logged once. */
  async check(): Promise<ApiError | undefined> {
    if (this.drain.isDraining) return notReady(STOPPING);
    // Concurrent probes share one query.
    this.probe ??= this.queryDatabase().finally(() => { this.probe = undefined; });
    const reason = await this.probe;
    if (reason !== this.reason) this.log.warn(reason === undefined ? 'ready again' : `not ready: ${reason}`);
    this.reason = reason;
    return reason === undefined ? undefined : notReady(reason);
  }

  private async queryDatabase(): Promise<string | undefined> {
    try {
      const row = await withTimeout(PROBE_TIMEOUT_MS, this.sql.queryOne<{ count: number }>('select count(distinct name)::integer as count from migrations where name = any($1)', [this.needed]));
      return row?.count === this.needed.length ? undefined : NOT_MIGRATED;
    } catch (error) {
      return isSchemaOutdated(error) ? NOT_MIGRATED : UNREACHABLE;
    }
  }
}

function notReady(message: string): ApiError {
  return new ApiError('unavailable', { message, retryAfterSeconds: 1 });
}
