import { readFileSync, statSync } from 'node:fs';
import { VENDOR_KEYS } from './config-rules';
import type { Variables } from './process-environment';

/** Settings that can also be read from the file that `NAME_FILE` names: secrets, and addresses that can contain one. */
export const FILE_SETTINGS: readonly string[] = [
  'DATABASE_URL', 'REDIS_URL', 'METRICS_TOKEN', 'ADMIN_API_KEY', 'API_KEY_PEPPER', 'API_KEY_PEPPER_PREVIOUS', ...VENDOR_KEYS, 'LOCAL_API_KEY',
  'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_RETURN_URL', 'STRIPE_METER_EVENT_NAME', 'STRIPE_API_URL',
];

/** No secret is longer; a file that is, was not meant. */
const MAX_BYTES = 64 * 1024;

/** Variables in which the contents of files stand for their names. */
export interface SettingFiles {
  variables: Variables;
  /** Names of the settings that came from files. */
  fromFile: ReadonlySet<string>;
  /** What is wrong with a file, by the setting that it should give; never what it contains. */
  problems: ReadonlyMap<string, string>;
}

/** Reads the files that variables such as `ADMIN_API_KEY_FILE` name. */
export function readSettingFiles(variables: Variables): SettingFiles {
  const values: Record<string, string | undefined> = { ...variables };
  const fromFile = new Set<string>();
  const problems = new Map<string, string>();
  for (const name of FILE_SETTINGS) {
    const file = variables[`${name}_FILE`];
    if (file === undefined) continue;
    const { value, problem } = variables[name] === undefined ? contentOf(file) : { problem: `is set beside ${name}; one of the two is enough` };
    if (value === undefined) {
      problems.set(name, `${name}_FILE: ${problem}`);
    } else {
      fromFile.add(name);
      values[name] = value;
      values[`${name}_FILE`] = undefined;
    }
  }
  return { variables: values, fromFile, problems };
}

/** The text of a file without its last line end, which editors and `echo` add. */
function contentOf(file: string): { value?: string; problem?: string } {
  try {
    const status = statSync(file);
    if (!status.isFile()) return { problem: 'names something that is not a file' };
    if (status.size > MAX_BYTES) return { problem: `names a file of more than ${MAX_BYTES / 1024} kB` };
    const value = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, '');
    return value === '' ? { problem: 'names an empty file' } : { value };
  } catch (error) {
    return { problem: PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'names a file that cannot be read' };
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that is not there',
  ENOTDIR: 'names a file that is not there',
  EACCES: 'names a file that this user may not read',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'names a file that is not text',
};
