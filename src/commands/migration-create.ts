import '../bootstrap/check-node-version';
import { runOnDatabase } from '../bootstrap/run-command';
import { print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';

/**
 * `npm run db:migration:create -- NAME`: writes the difference between the entities and the snapshot as a new
 * migration.
 * With `--check` it writes nothing, and fails with the missing SQL if the migrated database differs from the entities.
 */
void runOnDatabase(
  { usage: 'npm run db:migration:create -- [--check | NAME]', flags: ['check'], operands: [/^\w/] },
  async (orm, _config, { flags, operands: [name] }) => {
    if (flags.has('check')) {
      const missing = await orm.schema.getUpdateSchemaSQL({ wrap: false });
      if (missing.trim() !== '') throw new OperatorError(`The database differs from the entities:\n${missing}`);
      return print('The migrations and the entities agree.');
    }
    const { fileName } = await orm.migrator.create(undefined, false, false, name);
    print(
      fileName === ''
        ? 'The entities and the migrations agree.'
        : `Written: ${fileName}. Read it before you commit it.`,
    );
  },
);
