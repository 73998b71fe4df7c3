import { join } from 'node:path';
import { runCommand } from '../../support/command';
import { postgresFolder } from './postgres-user';
import { runProgram } from './program';

/** Passwords of the roles of deploy/role.sql in tests; not secret at all. */
export const OWNER = 'mcs_owner:owner';
export const SERVICE = 'mcs_service:service';

/** Runs deploy/role.sql on a server as one of its administrators, and migrates the database that it makes. */
export async function prepareDatabase(administratorUrl: string, ownerUrl: string): Promise<void> {
  const variables = { OWNER_PASSWORD: 'owner', SERVICE_PASSWORD: 'service' };
  await runProgram(
    'psql',
    [administratorUrl, '--no-psqlrc', '--quiet', '-f', join(__dirname, '../../../deploy/role.sql')],
    { folder: postgresFolder(), variables },
  );
  const migrated = await runCommand('migrate', { DATABASE_URL: ownerUrl });
  if (migrated.status !== 0) throw new Error(migrated.output);
}
