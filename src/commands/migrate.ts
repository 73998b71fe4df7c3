import { MikroORM } from '@mikro-orm/postgresql';
import { environmentVariables } from '../common/config';
import { migrate } from '../local/migrate';
import { prepare } from '../local/prepare';
import { ormOptions } from '../mikro-orm.config';
import { runCommand, say } from './run-command';

/** `npm run migrate`: applies the pending migrations to DATABASE_URL, or to the embedded database. */
void runCommand(async () => {
  const { config, stop } = await prepare(environmentVariables(), say);
  const orm = await MikroORM.init(ormOptions(config));
  try {
    const applied = await migrate(orm);
    say(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
  } finally {
    await orm.close();
    await stop();
  }
});
