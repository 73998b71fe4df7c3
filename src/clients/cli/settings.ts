import { join } from 'node:path';
import { KeyError, UsageError } from './exit-codes';
import type { System } from './system';

const DEFAULT_URL = 'http://127.0.0.1:3000';
const CONFIG_FILE = 'config.json';

/** The service to speak to. */
export interface Settings {
  url: string;
  apiKey: string;
}

/** A kind of key: its name, its variable, its file, and the command that writes the file. */
export interface KeyKind {
  name: string;
  variable: string;
  file: 'login.json' | 'admin.json';
  login: string;
}

export const USER_KEY: KeyKind = { name: 'API key', variable: 'MCS_API_KEY', file: 'login.json', login: 'mcs login' };
export const ADMIN_KEY: KeyKind = {
  name: 'admin key',
  variable: 'MCS_ADMIN_KEY',
  file: 'admin.json',
  login: 'mcs admin login',
};

/** The settings that a login has written. */
interface SavedLogin {
  url: string;
  api_key: string;
}

/**
 * Address and key: options, then environment, then the saved login. A saved key is sent only to the address it was
 * saved with. @throws UsageError, KeyError
 */
export function settingsOf(system: System, urlOption: string | undefined, kind = USER_KEY): Settings {
  const saved = savedLogin(system, kind);
  const url = checkedUrl(urlOption ?? nonEmpty(system.environment['MCS_URL']) ?? saved?.url ?? DEFAULT_URL);
  const given = nonEmpty(system.environment[kind.variable]);
  if (given !== undefined) return { url, apiKey: cleanKey(given) };
  if (saved?.url === url) return { url, apiKey: saved.api_key };
  throw new KeyError(`There is no ${kind.name} for ${url}: set ${kind.variable} or run ${kind.login}.`);
}

/** Where to log in to. @throws UsageError */
export function loginUrl(system: System, urlOption: string | undefined): string {
  return checkedUrl(urlOption ?? nonEmpty(system.environment['MCS_URL']) ?? DEFAULT_URL);
}

/** Stores address and key for later calls, readable by this user only. Returns the path of the file. */
export function saveLogin(system: System, { file }: KeyKind, { url, apiKey }: Settings): string {
  const login: SavedLogin = { url, api_key: apiKey };
  const path = join(system.configFolder, file);
  system.writePrivateFile(path, `${JSON.stringify(login, null, 2)}\n`);
  return path;
}

/** The models of a compare that names none: MCS_MODELS, then the models of `mcs models default`. @throws UsageError */
export function defaultModels(system: System): string[] {
  const given = nonEmpty(system.environment['MCS_MODELS']);
  if (given !== undefined) return given.split(',');
  const path = join(system.configFolder, CONFIG_FILE);
  const file = system.readPrivateFile(path);
  if (file === undefined) return [];
  try {
    const { models } = JSON.parse(file.text) as { models?: unknown };
    if (Array.isArray(models) && models.every((model) => typeof model === 'string')) return models;
  } catch {
    // Said below.
  }
  throw new UsageError(`${path} does not hold default models: run mcs models default again.`);
}

/** Stores them; an empty list means none. Returns the path of the file. */
export function saveDefaultModels(system: System, models: readonly string[]): string {
  const path = join(system.configFolder, CONFIG_FILE);
  system.writePrivateFile(path, `${JSON.stringify({ models }, null, 2)}\n`);
  return path;
}

/** Cleans a pasted key: removes white space, quotes and a leading `Bearer`. */
export function cleanKey(pasted: string): string {
  return pasted
    .replace(/[\s"'`]+/g, ' ')
    .trim()
    .replace(/^(?:authorization:? ?)?bearer:? ?/i, '');
}

/** @throws KeyError when others may read it, or when it is not what login writes */
function savedLogin(system: System, kind: KeyKind): SavedLogin | undefined {
  const path = join(system.configFolder, kind.file);
  const file = system.readPrivateFile(path);
  if (file === undefined) return undefined;
  if (!file.isPrivate)
    throw new KeyError(`Other users can read ${path}: run chmod 600 on it, and replace the key if they did.`);
  try {
    const { url, api_key: key } = JSON.parse(file.text) as Partial<SavedLogin>;
    if (typeof url === 'string' && typeof key === 'string') return { url, api_key: key };
  } catch {
    // Said below, without the text, which may contain a key.
  }
  throw new KeyError(`${path} is not a valid login file: run ${kind.login} again.`);
}

function checkedUrl(url: string): string {
  if (!/^https?:\/\/[^\s@?#]+$/.test(url) || !URL.canParse(url))
    throw new UsageError(
      'The address of the service must be like https://compare.example.com, with https:// or http:// and without user, query or fragment.',
    );
  // Clients of other services want the path of the API in it.
  return url.replace(/(?:\/+api\/v1)?\/*$/, '');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
