import { createDatabase } from '../local/create-database';
import { migrate } from '../local/migrate';
import { runOnDatabase, say } from './run-command';

/** `npm run migrate`: applies the pending migrations, with `-- --create` in a database that it makes if there is none; `npm run migrate -- down` takes all of them back. */
void runOnDatabase(async (orm, config) => {
  if (process.argv.includes('--create') && (await createDatabase(config.DATABASE_URL))) say('The database is created.');
  if (process.argv[2] === 'down') {
    await orm.migrator.down({ to: 0 });
    say('All migrations are taken back.');
    return;
  }
  const applied = await migrate(orm);
  say(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
});
