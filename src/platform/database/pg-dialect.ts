import { PostgresDialect, PostgresDriver, type DatabaseConnection, type TransactionSettings } from 'kysely';
import type { PgPool } from './pg-pool';

/**
 * Kysely's driver, which gives a connection back to the pool also when its transaction cannot begin or be rolled back
 * (https://github.com/kysely-org/kysely/issues/1990).
 */
class PgDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.releasedOnFailure(connection, super.beginTransaction(connection, settings));
  }

  // Not the same for `commit`: the ORM answers its failure with a rollback on the same connection.
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.releasedOnFailure(connection, super.rollbackTransaction(connection));
  }

  private async releasedOnFailure(connection: DatabaseConnection, statement: Promise<void>): Promise<void> {
    try {
      await statement;
    } catch (error) {
      await this.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0]);
      throw error;
    }
  }
}

/** Postgres as Kysely, and through it the ORM, speaks to it: over a pool of ours. */
export class PgDialect extends PostgresDialect {
  constructor(private readonly pool: PgPool) {
    super({ pool });
  }

  override createDriver(): PostgresDriver {
    return new PgDriver({ pool: this.pool });
  }
}
