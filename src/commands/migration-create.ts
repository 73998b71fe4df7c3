import { MikroORM } from '@mikro-orm/postgresql';
import { environmentVariables } from '../common/config';
import { prepare } from '../local/prepare';
import { ormOptions } from '../mikro-orm.config';
import { runCommand, say } from './run-command';

/** `npm run migration:create -- <what>`: writes the difference between the entities and the snapshot as a new migration. */
void runCommand(async () => {
  const { config, stop } = await prepare(environmentVariables(), say);
  const orm = await MikroORM.init(ormOptions(config));
  try {
    const { fileName } = await orm.migrator.create(undefined, false, false, process.argv[2]);
    say(fileName === '' ? 'The entities and the migrations agree.' : `Written: ${fileName}. Read it before you commit it.`);
  } finally {
    await orm.close();
    await stop();
  }
});
