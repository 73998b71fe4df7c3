import { ModelComparison } from '../../client/client';
import type { CommonOptions } from '../context';
import { EXIT, KeyError } from '../exit-codes';
import { ADMIN_KEY, cleanKey, loginUrl, saveLogin, USER_KEY, type KeyKind, type Settings } from '../settings';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { oneLine } from '../text';

/** mcs login: asks for a key without showing it, tries it, and keeps it in a file that only its owner can read. */
export async function loginCommand(system: System, options: CommonOptions): Promise<number> {
  return await login(system, options, USER_KEY, async (mcs) => {
    const { name, email } = await mcs.key();
    return `as ${oneLine(email)} with the key ${oneLine(name)}`;
  });
}

/** mcs admin login: the same for the admin key. */
export async function adminLoginCommand(system: System, options: CommonOptions): Promise<number> {
  return await login(system, options, ADMIN_KEY, async (mcs) => {
    await mcs.admin.listUsers({ limit: 1 });
    return 'with the admin key';
  });
}

async function login(
  system: System,
  { url: option, color }: CommonOptions,
  kind: KeyKind,
  tried: (mcs: ModelComparison) => Promise<string>,
): Promise<number> {
  const url = loginUrl(system, option);
  const pasted = system.isInputTerminal
    ? await system.askSecretly(`${kind.name} for ${url}: `)
    : await system.readInput();
  if (pasted === undefined) return EXIT.interrupted;
  const settings: Settings = { url, apiKey: cleanKey(pasted) };
  if (settings.apiKey === '') throw new KeyError(`No ${kind.name} was entered.`);
  const identity = await tried(new ModelComparison({ baseUrl: url, apiKey: settings.apiKey }));
  const path = saveLogin(system, kind, settings);
  new Terminal(system, color).note(`Logged in to ${url} ${identity}; stored in ${path}.`);
  return EXIT.done;
}
