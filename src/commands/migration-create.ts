import '../bootstrap/check-node-version';
import { print } from '../bootstrap/terminal';
import { runOnDatabase } from './run-command';

/** `npm run db:migration:create -- <what>`: writes the difference between the entities and the snapshot as a new migration. */
void runOnDatabase(async (orm) => {
  const { fileName } = await orm.migrator.create(undefined, false, false, process.argv[2]);
  print(fileName === '' ? 'The entities and the migrations agree.' : `Written: ${fileName}. Read it before you commit it.`);
});
