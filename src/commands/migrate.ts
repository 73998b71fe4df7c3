import '../bootstrap/check-node-version';
import { parseArgs } from 'node:util';
import { print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';
import { createDatabase } from '../database/create-database';
import { migrateUp, migrateDown } from '../database/migrate';
import { runOnDatabase } from './run-command';

const USAGE = 'npm run db:migrate [-- --create | -- down --yes-drop-everything]';

/**
 * `npm run db:migrate`: applies the pending migrations, with `-- --create` in a database that it makes if there is none;
 * `npm run db:migrate -- down --yes-drop-everything` takes all of them back.
 */
void runOnDatabase(async (orm, config) => {
  const { isDown, create, isSure } = wishes();
  if (isDown) {
    if (!isSure) throw new OperatorError('This drops every table with all its data. If that is meant: npm run db:migrate -- down --yes-drop-everything');
    await migrateDown(orm, config.NODE_ENV === 'production', print);
    print('All migrations are taken back.');
    return;
  }
  if (create && (await createDatabase(config.DATABASE_URL))) print('The database is created.');
  const applied = await migrateUp(orm, print);
  print(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
});

function wishes(): { isDown: boolean; create: boolean; isSure: boolean } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { create: { type: 'boolean', default: false }, 'yes-drop-everything': { type: 'boolean', default: false } } });
    const [direction, ...more] = positionals;
    if (more.length > 0 || (direction !== undefined && direction !== 'down')) throw new Error(direction);
    return { isDown: direction === 'down', create: values.create, isSure: values['yes-drop-everything'] };
  } catch (cause) {
    throw new OperatorError(`These words are not understood; nothing was changed. Usage: ${USAGE}`, cause);
  }
}
