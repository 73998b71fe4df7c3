import { toApiJson } from '../amounts';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';

/** mcs whoami: what the key in use is and may do. */
export async function whoamiCommand({ mcs, terminal }: Context, { json }: CommonOptions): Promise<number> {
  const key = await mcs.key();
  if (json === true) terminal.printJson(toApiJson(key));
  return EXIT.done;
}
