import { Config } from '../../src/platform/config/config';
import { reportOf } from '../../src/platform/config/config-report';
import { environment } from '../../src/platform/config/environment';
import { FILE_SETTINGS } from '../../src/platform/config/setting-files';

/** Variables of the image beside the settings: for Node and its allocator. */
const NOT_OURS = ['MALLOC_ARENA_MAX', 'NODE_OPTIONS'];
/** The placeholder of a missing secret. */
const ANY_SECRET: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://postgres/mcs',
  REDIS_URL: 'redis://valkey:6379',
  STRIPE_RETURN_URL: 'https://app.example.com',
};

/** As little as production needs. */
const PRODUCTION = {
  ...ANY_SECRET,
  NODE_ENV: 'production',
  SIMULATOR: 'on',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
};

/** Names that the service does not read, NAME_FILE of secrets included. */
export function unknownSettings(names: readonly string[]): string[] {
  const known = [...Object.keys(environment.shape), ...FILE_SETTINGS.map((name) => `${name}_FILE`), ...NOT_OURS];
  return names.filter((name) => !known.includes(name));
}

/** The settings with something valid for each secret that comes from a file. */
export function withSecrets(variables: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(variables).map(([name, value]) => {
    const setting = name.replace(/_FILE$/, '');
    return FILE_SETTINGS.includes(setting) && setting !== name
      ? [setting, ANY_SECRET[setting] ?? 'x'.repeat(16)]
      : [name, value];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The problems of these settings: unread names, and reasons why the service would not start. */
export function problemsOf(variables: Readonly<Record<string, string>>): string[] {
  return [
    ...unknownSettings(Object.keys(variables)).map((name) => `${name} is no setting`),
    ...reportOf(withSecrets(variables)).problems,
  ];
}

/** The longest that a process with these settings takes to stop, in seconds: docs/operations.md. */
export function secondsToStop(variables: Readonly<Record<string, string>>): number {
  const times = Object.fromEntries(
    Object.entries(variables).filter(([name]) => ['EVAL_TIMEOUT_MS', 'DRAIN_SECONDS'].includes(name)),
  );
  const { EVAL_TIMEOUT_MS, drainMs } = Config.read({ ...PRODUCTION, ...times });
  return (EVAL_TIMEOUT_MS + drainMs) / 1000 + 10;
}

/** The variables of an env file. */
export function parseEnvFile(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
}

/** True if an image is named with the tested version, and perhaps its digest, so that it cannot change later. */
export function isPinned(image: string): boolean {
  return /:v?\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/.test(image);
}
