import { signal } from '@preact/signals';
import { useKeys } from '../keyboard';
import { navigate } from '../router';
import { lazyPart } from './lazy-part';

const isShown = signal(false);

const KeyboardList = lazyPart(async () => (await import('./keyboard-list')).KeyboardList);

/** Shows the list of keys. */
export function showKeyboardHelp(): void {
  isShown.value = true;
}

/** The list of keys, whose code comes when it is first shown, and the keys that work on every screen. */
export function KeyboardHelp() {
  useKeys({
    'g c': () => navigate('/'),
    'g h': () => navigate('/history'),
    'g e': () => navigate('/experiments'),
    'g u': () => navigate('/usage'),
    '?': showKeyboardHelp,
  });
  return isShown.value ? (
    <KeyboardList
      onClose={() => {
        isShown.value = false;
      }}
    />
  ) : null;
}
