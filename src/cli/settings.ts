import { KeyError, UsageError } from './exit-codes';
import type { System } from './system';

const DEFAULT_URL = 'http://127.0.0.1:3000';

/** The service to speak to. */
export interface Settings {
  url: string;
  apiKey: string;
}

/** The settings that `mcs login` has written. */
interface SavedLogin {
  url: string;
  api_key: string;
}

/** Address and key: options, then environment, then what `mcs login` saved. A saved key goes to the address it was saved with and to no other. @throws UsageError, KeyError */
export function settingsOf(system: System, urlOption: string | undefined): Settings {
  const saved = savedLogin(system);
  const url = checkedUrl(urlOption ?? (nonEmpty(system.environment['MCS_URL']) ?? saved?.url ?? DEFAULT_URL));
  const given = nonEmpty(system.environment['MCS_API_KEY']);
  if (given !== undefined) return { url, apiKey: cleanKey(given) };
  if (saved?.url === url) return { url, apiKey: saved.api_key };
  throw new KeyError(`There is no API key for ${url}: set MCS_API_KEY or run mcs login.`);
}

/** Where to log in to. @throws UsageError */
export function loginUrl(system: System, urlOption: string | undefined): string {
  return checkedUrl(urlOption ?? nonEmpty(system.environment['MCS_URL']) ?? DEFAULT_URL);
}

/** Stores address and key for later calls, readable by this user only. */
export function saveLogin(system: System, { url, apiKey }: Settings): void {
  const login: SavedLogin = { url, api_key: apiKey };
  system.writePrivateFile(system.configFile, `${JSON.stringify(login, null, 2)}\n`);
}

/** Cleans a pasted key: removes white space, quotes and a leading `Bearer`. */
export function cleanKey(pasted: string): string {
  return pasted.replace(/[\s"'`]+/g, ' ').trim().replace(/^(?:authorization:? ?)?bearer:? ?/i, '');
}

/** @throws KeyError when others may read it, or when it is not what login writes */
function savedLogin(system: System): SavedLogin | undefined {
  const { configFile } = system;
  const file = system.readPrivateFile(configFile);
  if (file === undefined) return undefined;
  if (!file.isPrivate) throw new KeyError(`Other users can read ${configFile}: run chmod 600 on it, and replace the key if they did.`);
  try {
    const { url, api_key: key } = JSON.parse(file.text) as Partial<SavedLogin>;
    if (typeof url === 'string' && typeof key === 'string') return { url, api_key: key };
  } catch {
    // Said below, without the text, which may contain a key.
  }
  throw new KeyError(`${configFile} is not a valid login file: run mcs login again.`);
}

function checkedUrl(url: string): string {
  if (!/^https?:\/\/[^\s@?#]+$/.test(url) || !URL.canParse(url)) throw new UsageError('The address must be like https://compare.example.com, without user, query or fragment.');
  return url.replace(/\/+$/, '');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
