import { migrate } from '../local/migrate';
import { runOnDatabase, say } from './run-command';

/** `npm run migrate`: applies the pending migrations; `npm run migrate -- down` takes all of them back. */
void runOnDatabase(async (orm) => {
  if (process.argv[2] === 'down') {
    await orm.migrator.down({ to: 0 });
    say('All migrations are taken back.');
    return;
  }
  const applied = await migrate(orm);
  say(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
});
