import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OperatorError } from '../common/operator-error';

const INSTEAD = 'set ADMIN_API_KEY and API_KEY_PEPPER';

const secrets = z.object({ ADMIN_API_KEY: z.string(), API_KEY_PEPPER: z.string() });

/**
 * The secrets that a machine without configuration uses; made on the first start and kept beside the local database.
 */
type LocalSecrets = z.output<typeof secrets>;

/** Reads the local secrets, or makes them. @throws OperatorError when they can be neither read nor written */
export function localSecrets(folder: string): LocalSecrets {
  const file = join(folder, 'secrets.json');
  return findLocalSecrets(folder) ?? make(folder, file);
}

/** Reads the local secrets, if there are any. @throws OperatorError when they cannot be read */
export function findLocalSecrets(folder: string): LocalSecrets | undefined {
  const file = join(folder, 'secrets.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new OperatorError(`${file} cannot be read (${code}); make it readable, or ${INSTEAD}.`, error);
  }
  try {
    return secrets.parse(JSON.parse(text));
  } catch (error) {
    throw new OperatorError(
      `${file} does not hold the secrets that the service wrote there; restore it, or ${INSTEAD}. Without the old API_KEY_PEPPER no key that was issued opens anything.`,
      error,
    );
  }
}

function make(folder: string, file: string): LocalSecrets {
  const made = {
    ADMIN_API_KEY: `mcs_admin_${randomBytes(24).toString('hex')}`,
    API_KEY_PEPPER: randomBytes(32).toString('hex'),
  };
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new OperatorError(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}); make its folder writable, or ${INSTEAD} and DATABASE_URL.`,
      error,
    );
  }
  return made;
}
