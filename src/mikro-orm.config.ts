import { join } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { ApiKey } from './auth/api-key.entity';
import { User } from './auth/user.entity';
import { Charge } from './billing/charge.entity';
import { MonthTotal } from './billing/month-total.entity';
import { Reservation } from './billing/reservation.entity';
import type { Config } from './common/config';
import { Eval } from './evals/eval.entity';
import { Result } from './evals/result.entity';

/** The only database settings, used by the service, the commands and the tests. */
export function ormOptions(config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL'>): Options {
  return defineConfig({
    clientUrl: config.DATABASE_URL,
    entities: [User, ApiKey, Eval, Result, Reservation, Charge, MonthTotal],
    extensions: [Migrator],
    pool: { min: 0, max: config.DATABASE_POOL },
    migrations: {
      path: join(__dirname, '../migrations'),
      pathTs: join(process.cwd(), 'migrations'),
      glob: '!(*.d).js',
      tableName: 'migrations',
      snapshotName: '.snapshot',
      fileName: (timestamp, name) => `Migration${timestamp}_${name ?? 'unnamed'}`,
    },
    forceUtcTimezone: true,
  });
}
