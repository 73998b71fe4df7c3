import { signal } from '@preact/signals';
import { useKeys } from '../keyboard';
import { prefs, setPrefs } from '../prefs';
import { navigate } from '../router';
import { Dialog } from './dialog';

const isShown = signal(false);

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl ↵ or ⌘ ↵', 'run the form'],
  ['Esc', 'close; stop watching'],
  ['p', 'go to the prompt'],
  ['m', 'go to the models'],
  ['1 … 8', 'go to that answer'],
  ['e', 'expand that answer'],
  ['s S', 'next or previous sample of every model'],
  ['d', 'show or hide differences'],
  ['n', 'next change'],
  ['t', 'text or formatted'],
  ['[', 'hide or show the form'],
  ['/', 'search the history'],
  ['g c', 'compare'],
  ['g h', 'history'],
  ['g u', 'usage'],
  ['?', 'this list'],
];

/** Shows the list of keys. */
export function showKeyboardHelp(): void {
  isShown.value = true;
}

/** The list of keys with the switch that turns single keys off, and the keys that work on every screen. */
export function KeyboardHelp() {
  useKeys({ 'g c': () => navigate('/'), 'g h': () => navigate('/history'), 'g u': () => navigate('/usage'), '?': showKeyboardHelp });
  if (!isShown.value) return null;
  return (
    <Dialog title="Keyboard" onClose={() => { isShown.value = false; }}>
      <table class="keys">
        <tbody>{KEYS.map(([keys, does]) => <tr key={keys}><th scope="row"><kbd>{keys}</kbd></th><td>{does}</td></tr>)}</tbody>
      </table>
      <label class="check">
        <input type="checkbox" checked={prefs.value.singleKeys} onChange={(event) => setPrefs({ singleKeys: event.currentTarget.checked })} />
        Use single keys outside of fields
      </label>
    </Dialog>
  );
}
