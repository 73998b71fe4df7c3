import type { KeyInUse } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';

/** mcs whoami: what the key in use is and may do, and what is left of its limits. */
export async function whoamiCommand({ mcs, terminal, settings }: Context, { json }: CommonOptions): Promise<number> {
  const key = await mcs.key();
  if (json === true) terminal.printJson(key);
  else terminal.printRecord([['service', settings.url], ...pairsOf(key)]);
  return EXIT.done;
}

function pairsOf({
  name,
  prefix,
  email,
  first_month: first,
  scopes,
  allowed_models: models,
  expires_at: expiry,
  limits,
}: KeyInUse): [string, string][] {
  const spend = (limit: KeyInUse['limits']['key_spend']) =>
    limit === null ? 'no limit' : `$${limit.remaining_usd} of $${limit.limit_usd} left`;
  return [
    ['user', `${email}, since ${first}`],
    ['key', `${name} (${prefix}…)`],
    ['may', scopes.join(', ')],
    ['models', models?.join(', ') ?? 'all'],
    ['expires', expiry ?? 'never'],
    [`free evals ${limits.month}`, `${limits.free_evals.remaining} of ${limits.free_evals.limit} left`],
    [`key's spend ${limits.month}`, spend(limits.key_spend)],
    [`user's spend ${limits.month}`, spend(limits.user_spend)],
  ];
}
