import { ModelComparison } from '../../client/client';
import type { CommonOptions } from '../context';
import { EXIT, KeyError } from '../exit-codes';
import { cleanKey, loginUrl, saveLogin } from '../settings';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { oneLine } from '../text';

/** mcs login: asks for a key without showing it, tries it, and keeps it in a file that only its owner can read. */
export async function loginCommand(system: System, { url: option, color }: CommonOptions): Promise<number> {
  const url = loginUrl(system, option);
  const pasted = system.isInputTerminal ? await system.askSecretly(`API key for ${url}: `) : await system.readInput();
  if (pasted === undefined) return EXIT.interrupted;
  const apiKey = cleanKey(pasted);
  if (apiKey === '') throw new KeyError('No API key was entered.');
  const { name, email } = await new ModelComparison({ baseUrl: url, apiKey }).key();
  saveLogin(system, { url, apiKey });
  new Terminal(system, color).note(`Logged in to ${url} as ${oneLine(email)} with the key ${oneLine(name)}; stored in ${system.configFile}.`);
  return EXIT.done;
}
