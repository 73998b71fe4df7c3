import '../bootstrap/check-node-version';
import { print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';
import { runOnDatabase } from './run-command';

/** Compares the migrated database with the entities; fails with the SQL that is missing when they differ. */
void runOnDatabase({ usage: 'node dist/src/commands/migration-check.js' }, async (orm) => {
  const missing = await orm.schema.getUpdateSchemaSQL({ wrap: false });
  if (missing.trim() !== '') throw new OperatorError(`The database differs from the entities:\n${missing}`);
  print('The migrations and the entities agree.');
});
