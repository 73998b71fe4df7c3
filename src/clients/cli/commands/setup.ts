import { join } from 'node:path';
import type { CommonOptions } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { partsOf } from '../lists';
import { defaultModels, saveDefaultModels, USER_KEY } from '../settings';
import type { System } from '../system';
import { Terminal } from '../terminal';
import { oneLine } from '../text';

/** mcs logout: removes what a login has stored. The key is not revoked. */
export function logoutCommand(system: System, { color }: Pick<CommonOptions, 'color'>, kind = USER_KEY): number {
  const [terminal, path] = [new Terminal(system, color), join(system.configFolder, kind.file)];
  terminal.note(system.removeFile(path) ? `Removed ${path}. The key itself still works.` : 'There was no login.');
  if ((system.environment[kind.variable] ?? '') !== '') terminal.note(`${kind.variable} is set and still used.`);
  return EXIT.done;
}

/** mcs models default: prints or stores the models of a compare that names none. */
export function defaultModelsCommand(
  system: System,
  ids: string | undefined,
  { clear, color }: { clear?: boolean; color: boolean },
): number {
  const terminal = new Terminal(system, color);
  if (clear === true && ids !== undefined) throw new UsageError('Choose model ids or --clear.');
  if (ids === undefined && clear !== true) return show(terminal, defaultModels(system));
  const models = partsOf(ids ?? '');
  if (clear !== true && models.length === 0)
    throw new UsageError('Name the models, such as sim-swift,sim-sage, or pass --clear.');
  terminal.note(`Stored in ${saveDefaultModels(system, models)}.`);
  if ((system.environment['MCS_MODELS'] ?? '') !== '') terminal.note('MCS_MODELS is set and comes first.');
  return EXIT.done;
}

function show(terminal: Terminal, models: readonly string[]): number {
  if (models.length === 0)
    terminal.note('There are no default models. To store some: mcs models default sim-swift,sim-sage');
  else terminal.print(models.map(oneLine).join(','));
  return EXIT.done;
}
