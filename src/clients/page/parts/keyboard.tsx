import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { prefs } from '../prefs';
import { navigate } from '../router';
import { KeyboardList } from '../chunks';

/** The actions of keys: `p`, `?`, or two in sequence as in `g c`. */
type KeyMap = Readonly<Record<string, () => void>>;

const MAX_PAUSE_MS = 1500;
const layers: KeyMap[] = [];
let first: { key: string; timer: ReturnType<typeof setTimeout> } | undefined;

/**
 * Makes single keys act while the component is shown. They act outside of fields and dialogs only, and not when they
 * are switched off.
 */
export function useKeys(keys: KeyMap): void {
  // Before the paint: a key acts on what is shown, not on what was there a frame ago.
  useLayoutEffect(() => {
    layers.push(keys);
    return () => {
      layers.splice(layers.indexOf(keys), 1);
    };
  });
}

/** Listens to the keyboard. */
export function startKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (!isSingleKey(event)) return;
    const pair = first === undefined ? undefined : actionOf(`${first.key} ${event.key}`);
    forgetFirst();
    const action = pair ?? actionOf(event.key);
    if (action !== undefined) {
      event.preventDefault();
      action();
    } else if (layers.some((keys) => Object.keys(keys).some((name) => name.startsWith(`${event.key} `)))) {
      first = { key: event.key, timer: setTimeout(forgetFirst, MAX_PAUSE_MS) };
    }
  });
}

/** The newest component's comes first. */
function actionOf(name: string): (() => void) | undefined {
  return layers.findLast((keys) => Object.hasOwn(keys, name))?.[name];
}

function forgetFirst(): void {
  clearTimeout(first?.timer);
  first = undefined;
}

function isSingleKey(event: KeyboardEvent): boolean {
  if (
    !prefs.value.singleKeys ||
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.isComposing
  )
    return false;
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  return (
    !target.isContentEditable &&
    target.closest('input, textarea, select, dialog, [popover]') === null &&
    document.querySelector('dialog[open]') === null
  );
}

/**
 * Escape, wherever the focus is but in a dialog, which closes first. The handler says whether it did something; if not,
 * the next one is asked.
 */
export function useEscape(handler: () => boolean): void {
  const latest = useRef({ handler });
  latest.current.handler = handler;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        event.key !== 'Escape' ||
        event.defaultPrevented ||
        event.isComposing ||
        document.querySelector('dialog[open], :popover-open') !== null
      )
        return;
      if (latest.current.handler()) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

const isShown = signal(false);

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
