import '../bootstrap/check-node-version';
import { print } from '../bootstrap/terminal';
import { runOnDatabase } from './run-command';

/** `npm run db:migration:create -- <what>`: writes the difference between the entities and the snapshot as a new migration. */
void runOnDatabase({ usage: 'npm run db:migration:create -- NAME', operands: [/^\w/] }, async (orm, _config, { operands: [name] }) => {
  const { fileName } = await orm.migrator.create(undefined, false, false, name);
  print(fileName === '' ? 'The entities and the migrations agree.' : `Written: ${fileName}. Read it before you commit it.`);
});
