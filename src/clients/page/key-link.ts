import { signal } from '@preact/signals';
import { splitKey } from './key-text';
import { route } from './router';
import { keyInUse, resumeSession, signInByLink } from './session';

/** The sentence to show about the key of a link. */
export const linkNotice = signal<string | undefined>(undefined);

const NOT_USED =
  'This link carried a key, which was removed from the address and not used. Everybody with the link has that key too.';

/**
 * Signs in with the key of the address, as of `#key=mcs_…`, or with that of this tab. The key leaves the address before
 * anything else happens.
 */
export function startSession(): void {
  const key = takeKey();
  if (key === undefined) void resumeSession();
  else void useKey(key);
  addEventListener('hashchange', () => {
    const later = takeKey();
    if (later !== undefined) void useKey(later);
  });
}

function takeKey(): string | undefined {
  const found = splitKey(location.hash);
  if (found !== undefined) history.replaceState(history.state, '', location.pathname + location.search + found.rest);
  return found?.key;
}

/** A shared eval needs no key; the sender may have put one there by mistake or on purpose. */
async function useKey(key: string): Promise<void> {
  if (route.peek().name !== 'shared') {
    linkNotice.value = await signInByLink(key);
    return;
  }
  linkNotice.value = NOT_USED;
  if (keyInUse.peek() === undefined) await resumeSession();
}
