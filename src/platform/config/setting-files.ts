import { VENDOR_KEYS } from './config-rules';
import type { Variables } from './process-environment';
import { TELEMETRY_SECRETS } from './telemetry';
import { readTextFile } from '../../common/read-text-file';

/** Settings that can also be read from the file that `NAME_FILE` names: secrets, and addresses that can contain one. */
export const FILE_SETTINGS: readonly string[] = [
  'DATABASE_URL',
  'REDIS_URL',
  'METRICS_TOKEN',
  'ADMIN_API_KEY',
  'API_KEY_PEPPER',
  'API_KEY_PEPPER_PREVIOUS',
  ...VENDOR_KEYS,
  'LOCAL_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_RETURN_URL',
  ...TELEMETRY_SECRETS,
];

/** No secret is longer; a file that is, was not meant. */
const MAX_KILOBYTES = 64;

/** Variables in which the contents of files stand for their names. */
interface SettingFiles {
  variables: Variables;
  /** Names of the settings that came from files. */
  fromFile: ReadonlySet<string>;
  /** The problem of a file, by its setting; never its content. */
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
    const { value, problem } =
      variables[name] === undefined ? contentOf(file) : { problem: `is set beside ${name}; one of the two is enough` };
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

/** True if a setting is present, valid or not. */
export function isGiven(name: string, variables: Variables): boolean {
  return variables[name] !== undefined || variables[`${name}_FILE`] !== undefined;
}

/** The text of a file without its last line end, which editors and `echo` add. */
function contentOf(file: string): { value?: string; problem?: string } {
  const { text, problem } = readTextFile(file, MAX_KILOBYTES);
  if (text === undefined) return { problem };
  const value = text.replace(/\r?\n$/, '');
  return value === '' ? { problem: 'names an empty file' } : { value };
}
