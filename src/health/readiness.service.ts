import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { isSchemaOutdated } from '../database/is-database-unavailable';
import { migrationNames } from '../database/migrate';
import { SqlService } from '../database/sql.service';
import { Drain } from '../common/drain';
import { ApiError } from '../common/errors';
import { withTimeout } from '../common/with-timeout';

const PROBE_TIMEOUT_MS = 2000;

const STOPPING = 'The service is stopping.';
const AWAY = 'The database does not answer.';
const NOT_MIGRATED = 'The database lacks migrations of this version; run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js).';

/** Whether this process should be sent requests: the database answers, its migrations contain all that this build needs, and it is not shutting down. */
@Injectable()
export class ReadinessService {
  private readonly log = new Logger(ReadinessService.name);
  private readonly needed: string[];
  private reason: string | undefined;
  private probe: Promise<string | undefined> | undefined;

  constructor(
    private readonly database: SqlService,
    private readonly drain: Drain,
    orm: MikroORM,
  ) {
    this.needed = migrationNames(orm);
  }

  /** Why it should not be sent any; undefined when it is ready. A change leaves one line in the log. */
  async refusal(): Promise<ApiError | undefined> {
    if (this.drain.isDraining) return refusal(STOPPING);
    // One question for all who ask meanwhile.
    this.probe ??= this.ask().finally(() => { this.probe = undefined; });
    const reason = await this.probe;
    if (reason !== this.reason) this.log.warn(reason === undefined ? 'ready again' : `not ready: ${reason}`);
    this.reason = reason;
    return reason === undefined ? undefined : refusal(reason);
  }

  private async ask(): Promise<string | undefined> {
    try {
      const [row] = await withTimeout(PROBE_TIMEOUT_MS, this.database.query<{ count: string }>('select count(distinct name) from migrations where name = any($1)', [this.needed]));
      return Number(row?.count) === this.needed.length ? undefined : NOT_MIGRATED;
    } catch (error) {
      return isSchemaOutdated(error) ? NOT_MIGRATED : AWAY;
    }
  }
}

function refusal(message: string): ApiError {
  return new ApiError('unavailable', { message, retryAfterSeconds: 1 });
}
