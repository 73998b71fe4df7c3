import { distance } from 'fastest-levenshtein';
import { examine } from './config';
import { environment } from './environment';
import type { Variables } from './process-environment';
import { isSecretSetting } from './redaction';
import { FILE_SETTINGS, readSettingFiles } from './setting-files';

/** One setting as this process would read it. */
export interface SettingReport {
  name: string;
  source: 'default' | 'environment' | 'file';
  /** As it is written; `set` instead of a secret, null where there is none. */
  value: string | null;
}

/** All settings, without connecting anywhere. */
export interface ConfigReport {
  settings: SettingReport[];
  /** Why the service would not start with them. */
  problems: string[];
  /** Variables that are not read but look like some that are. */
  unknown: { name: string; similar: string }[];
}

/** What is made up outside production where it is not given, as the start does. */
const GENERATED: Readonly<Record<string, string>> = { DATABASE_URL: 'postgresql://localhost/embedded', ADMIN_API_KEY: 'generated-at-start', API_KEY_PEPPER: 'generated-at-start' };

/** What the service would read from these variables. */
export function reportOf(variables: Variables): ConfigReport {
  const { variables: values, fromFile } = readSettingFiles(variables);
  const isGenerated = (name: string) => values['NODE_ENV'] !== 'production' && values[name] === undefined && values[`${name}_FILE`] === undefined && name in GENERATED;
  const generated = Object.fromEntries(Object.entries(GENERATED).filter(([name]) => isGenerated(name)));
  const names = Object.keys(environment.shape) as (keyof typeof environment.shape)[];
  const settings = names.map((name): SettingReport => {
    if (values[name] === undefined) return { name, source: 'default', value: isGenerated(name) ? 'generated at the first start' : defaultOf(name) };
    return { name, source: fromFile.has(name) ? 'file' : 'environment', value: isSecretSetting(name, values[name]) ? 'set' : values[name] };
  });
  return { settings, problems: examine({ ...values, ...generated }).problems, unknown: unknownIn(variables, names) };
}

function defaultOf(name: keyof typeof environment.shape): string | null {
  const { data } = environment.shape[name].safeParse(undefined);
  return data === undefined || (Array.isArray(data) && data.length === 0) ? null : String(data);
}

function unknownIn(variables: Variables, names: readonly string[]): ConfigReport['unknown'] {
  const known = [...names, ...FILE_SETTINGS.map((name) => `${name}_FILE`)];
  return Object.keys(variables).filter((name) => !known.includes(name)).sort().flatMap((name) => {
    const similar = known.find((one) => isMistyped(name, one));
    return similar === undefined ? [] : [{ name, similar }];
  });
}

/** One or two letters off; names as short as PORT have too many neighbors that mean something else. */
function isMistyped(name: string, known: string): boolean {
  return known.length >= 8 && distance(name.toUpperCase(), known) <= 2;
}
