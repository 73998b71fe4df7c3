import { prefs, setPrefs } from '../prefs';
import { Dialog } from './dialog';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl ↵ or ⌘ ↵', 'run the form'],
  ['Esc', 'close; stop watching'],
  ['p', 'go to the prompt'],
  ['m', 'go to the models'],
  ['1 … 8', 'go to that answer; while names are hidden, choose it'],
  ['b', 'choose that answer as the better one'],
  ['0', 'they tie'],
  ['e', 'expand that answer'],
  ['s S', 'next or previous sample of every model'],
  ['d', 'show or hide differences'],
  ['n', 'next change'],
  ['j k', 'next or previous row of an experiment; ↵ opens it'],
  ['1 2 0 x s', 'vote: answer, tie, none, skip'],
  ['t', 'text or formatted'],
  ['[', 'hide or show the form'],
  ['/', 'search the history'],
  ['g c', 'compare'],
  ['g h', 'history'],
  ['g e', 'experiments'],
  ['g u', 'usage'],
  ['?', 'this list'],
];

/** The list of keys with the switch that turns single keys off. */
export function KeyboardList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <table class="keys">
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="check">
        <input
          type="checkbox"
          checked={prefs.value.singleKeys}
          onChange={(event) => setPrefs({ singleKeys: event.currentTarget.checked })}
        />
        Use single keys outside of fields
      </label>
    </Dialog>
  );
}
