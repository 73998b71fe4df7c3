import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HealthCheckService, MikroOrmHealthIndicator } from '@nestjs/terminus';
import { ApiError } from '../common/errors';

const PATIENCE_MS = 2000;

/** Whether this process should be sent requests: the database answers and it is not shutting down. */
@Injectable()
export class Readiness implements OnModuleDestroy {
  private stopping = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly database: MikroOrmHealthIndicator,
    private readonly orm: MikroORM,
  ) {}

  onModuleDestroy(): void {
    this.stopping = true;
  }

  /** @throws ApiError unavailable */
  async check(): Promise<void> {
    if (this.stopping) throw new ApiError('unavailable', { message: 'The service is stopping.', retryAfterSeconds: 1 });
    try {
      await this.health.check([() => this.database.pingCheck('database', { connection: this.orm.em.getConnection(), timeout: PATIENCE_MS })]);
    } catch (cause) {
      throw new ApiError('unavailable', { message: 'The database does not answer.', retryAfterSeconds: 1, cause });
    }
  }
}
