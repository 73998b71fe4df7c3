import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const secrets = z.object({ ADMIN_API_KEY: z.string(), API_KEY_PEPPER: z.string() });

/** The secrets that a machine without configuration uses; made on the first start and kept beside the local database. */
export type LocalSecrets = z.output<typeof secrets>;

/** Reads the local secrets, or makes them. */
export function localSecrets(folder: string): LocalSecrets {
  const file = join(folder, 'secrets.json');
  try {
    return secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = { ADMIN_API_KEY: `mcs_admin_${randomBytes(24).toString('hex')}`, API_KEY_PEPPER: randomBytes(32).toString('hex') };
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  return made;
}
