import { startMcs, type Ended, type McsOptions } from './client-package';
import type { Caller } from './factories';

/** The variables by which `mcs` finds a caller's service and key. */
export const variables = (caller: Caller) => ({ MCS_URL: caller.url, MCS_API_KEY: caller.key ?? '' });

/** Runs `mcs` with a caller's key to its end. */
export async function mcs(caller: Caller, args: readonly string[], more: Partial<McsOptions> = {}): Promise<Ended> {
  const { ended } = await startMcs(args, { ...more, environment: { ...variables(caller), ...more.environment } });
  return await ended;
}
