import '../bootstrap/check-node-version';
import { print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';
import { createDatabase } from '../platform/database/create-database';
import { migrateUp, migrateDown } from '../platform/database/migrate';
import { runOnDatabase } from '../bootstrap/run-command';

const LINE = {
  usage: 'npm run db:migrate [-- --create | -- down --yes-drop-everything]',
  flags: ['create', 'yes-drop-everything'],
  operands: [/^down$/],
};

/**
 * `npm run db:migrate`: applies the pending migrations, with `-- --create` in a database that it makes if there is
 * none;
 * `npm run db:migrate -- down --yes-drop-everything` takes all of them back.
 */
void runOnDatabase(LINE, async (orm, config, { flags, operands: [direction] }) => {
  if (direction !== undefined) {
    if (!flags.has('yes-drop-everything'))
      throw new OperatorError(
        'This drops every table with all its data. If that is meant: npm run db:migrate -- down --yes-drop-everything',
      );
    await migrateDown(orm, config.NODE_ENV === 'production', print);
    print('All migrations are taken back.');
    return;
  }
  if (flags.has('create') && (await createDatabase(config.DATABASE_URL))) print('The database is created.');
  const applied = await migrateUp(orm, print);
  print(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
});
