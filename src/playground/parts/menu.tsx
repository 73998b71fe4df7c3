import type { ComponentChildren } from 'preact';
import type { KeyInUse } from '../../client/client';
import { prefs, setPrefs, THEMES } from '../prefs';
import { forgetKey } from '../session';
import { showKeyboardHelp } from './keyboard-help';

const ID = 'menu';

/** The menu of the head: the key in use, the theme, the keyboard. A popover, so that Escape and a click elsewhere close it. */
export function Menu({ keyInUse, children }: { keyInUse: KeyInUse | undefined; children: ComponentChildren }) {
  return (
    <>
      <button type="button" class="menu-button" popovertarget={ID} aria-label={keyInUse === undefined ? 'Menu' : `Menu, key ${keyInUse.name}`}>
        <span class="menu-name">{keyInUse?.name ?? 'Menu'}</span><span aria-hidden="true"> ▾</span>
      </button>
      <div id={ID} class="menu" popover="auto">
        {children}
        {keyInUse !== undefined && <KeyFacts {...keyInUse} />}
        <ThemeChoice />
        <button type="button" onClick={() => { closeMenu(); showKeyboardHelp(); }}>Keyboard</button>
        {keyInUse !== undefined && <button type="button" onClick={() => { closeMenu(); forgetKey(); }}>Forget key</button>}
      </div>
    </>
  );
}

function closeMenu(): void {
  document.getElementById(ID)?.hidePopover();
}

function KeyFacts({ name, prefix, email }: KeyInUse) {
  return (
    <dl class="key-facts">
      <dt>Key</dt><dd>{name} ({prefix}…)</dd>
      <dt>User</dt><dd>{email}</dd>
    </dl>
  );
}

function ThemeChoice() {
  return (
    <fieldset class="theme">
      <legend>Theme</legend>
      {THEMES.map((theme) => (
        <label key={theme}><input type="radio" name="theme" checked={prefs.value.theme === theme} onChange={() => setPrefs({ theme })} /> {theme}</label>
      ))}
    </fieldset>
  );
}
