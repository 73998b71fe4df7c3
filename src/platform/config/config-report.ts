import { examine } from './config';
import { environment, type Settings } from './environment';
import { percentOf, warningsAbout } from './plausibility';
import type { Variables } from './process-environment';
import { isSecretSetting } from '../observability/redaction';
import { isGiven, readSettingFiles } from './setting-files';
import { unknownIn } from './unknown-settings';

/** One setting as this process would read it. */
export interface SettingReport {
  name: string;
  source: 'default' | 'environment' | 'file';
  /** The written value; `set` instead of a secret, null if there is none. */
  value: string | null;
}

/** All settings, without connecting anywhere. */
export interface ConfigReport {
  settings: SettingReport[];
  /** Why the service would not start with them. */
  problems: string[];
  /** Warnings about implausible settings, including unknown variables. */
  warnings: string[];
  /** BILLING_MARGIN in words; null where it is wrong. */
  margin: string | null;
  /** Variables that are not read but look like some that are, or were some. */
  unknown: { name: string; similar: string }[];
}

/** The values that the start generates outside production if they are absent. */
const GENERATED: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://localhost/embedded',
  ADMIN_API_KEY: 'an-admin-key-generated-at-start',
  API_KEY_PEPPER: 'a-pepper-generated-at-start',
};

/** The settings that the service would read from these variables, with further problems of the valid ones. */
export function reportOf(
  variables: Variables,
  furtherProblems: (settings: Partial<Settings>) => string[] = () => [],
): ConfigReport {
  const { variables: values, fromFile } = readSettingFiles(variables);
  const isGenerated = (name: string) =>
    values['NODE_ENV'] !== 'production' && !isGiven(name, values) && name in GENERATED;
  const generated = Object.fromEntries(Object.entries(GENERATED).filter(([name]) => isGenerated(name)));
  const names = Object.keys(environment.shape) as (keyof typeof environment.shape)[];
  const settings = names.map((name): SettingReport => {
    if (values[name] === undefined)
      return { name, source: 'default', value: isGenerated(name) ? 'generated at the first start' : defaultOf(name) };
    return { name, source: fromFile.has(name) ? 'file' : 'environment', value: shown(name, values[name]) };
  });
  const examined = examine({ ...values, ...generated });
  const { BILLING_MARGIN: margin } = examined.settings;
  return {
    settings,
    problems: [...examined.problems, ...furtherProblems(examined.settings)],
    warnings: warningsAbout(examined.settings, variables),
    margin: margin === undefined ? null : percentOf(margin),
    unknown: unknownIn(variables).map(({ name, similar }) => ({ name, similar })),
  };
}

// The query of an address may hold a token.
function shown(name: string, value: string): string {
  if (isSecretSetting(name, value)) return 'set';
  return /_(URL|ENDPOINT)$/.test(name) ? value.replace(/\?.*/s, '?…') : value;
}

function defaultOf(name: keyof typeof environment.shape): string | null {
  const { data } = environment.shape[name].safeParse(undefined);
  return data === undefined || (Array.isArray(data) && data.length === 0) ? null : String(data);
}
