import type { PgPool } from './platform/database/pg-pool';
import { migrationOptions, servicePool } from './mikro-orm.config';

const SETTINGS = { DATABASE_POOL_MAX: 5, DATABASE_TIMEOUT_MS: 5000, DATABASE_PREPARE: true };

describe('connect_timeout', () => {
  test.each([
    ['?connect_timeout=3', 3000, 3000],
    ['', undefined, 10_000],
  ])(
    'bounds the wait for the greeting of the database, of the service and of commands: "%s"',
    (parameters, ofService, ofCommands) => {
      const config = { ...SETTINGS, DATABASE_URL: `postgresql://db/mcs${parameters}` };
      expect(servicePool(config).options).toMatchObject({
        connectionTimeoutMillis: 5000,
        ...(ofService !== undefined && { greetingTimeoutMs: ofService }),
      });
      const { pool } = migrationOptions(config).driverOptions as unknown as { pool: PgPool };
      expect(pool.options).toMatchObject({ greetingTimeoutMs: ofCommands });
    },
  );
});
