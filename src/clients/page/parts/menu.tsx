import type { ComponentChildren } from 'preact';
import type { KeyInUse } from '../../client/client';
import { prefs, setPrefs, THEMES } from '../prefs';
import { forgetKey } from '../session';
import { KeyFacts } from './key-facts';
import { showKeyboardHelp } from './keyboard-help';

const ID = 'menu';

/**
 * The menu of the head: on the phone the screens, then the key in use, the theme, the keyboard. A popover, so that
 * Escape and a click elsewhere close it.
 */
export function Menu({ keyInUse, children }: { keyInUse: KeyInUse | undefined; children: ComponentChildren }) {
  return (
    <>
      <button
        type="button"
        class="menu-button"
        popovertarget={ID}
        aria-label={keyInUse === undefined ? 'Menu' : `Menu, key ${keyInUse.name}`}
      >
        <span class="menu-name">{keyInUse?.name ?? 'Menu'}</span>
        <span class="menu-arrow" aria-hidden="true">
          ▾
        </span>
        <svg class="menu-icon" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M3 5h14M3 10h14M3 15h14" stroke="currentColor" stroke-width="2" stroke-linecap="round" />
        </svg>
      </button>
      <div id={ID} class="menu" popover="auto" onClick={closeAfterLink}>
        {children}
        {keyInUse !== undefined && <KeyFacts keyInUse={keyInUse} />}
        <ThemeChoice />
        <div class="menu-foot">
          <button
            type="button"
            onClick={() => {
              closeMenu();
              showKeyboardHelp();
            }}
          >
            Keyboard
          </button>
          {keyInUse !== undefined && (
            <button
              type="button"
              onClick={() => {
                closeMenu();
                forgetKey();
              }}
            >
              Forget key
            </button>
          )}
        </div>
      </div>
    </>
  );
}

/** The focus returns to the button, so that a dialog restores it there. */
function closeMenu(): void {
  document.getElementById(ID)?.hidePopover();
  document.querySelector<HTMLElement>(`[popovertarget="${ID}"]`)?.focus();
}

function closeAfterLink(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('a') !== null) document.getElementById(ID)?.hidePopover();
}

function ThemeChoice() {
  return (
    <fieldset class="theme">
      <legend>Theme</legend>
      {THEMES.map((theme) => (
        <label key={theme} class="check">
          <input type="radio" name="theme" checked={prefs.value.theme === theme} onChange={() => setPrefs({ theme })} />
          {theme}
        </label>
      ))}
    </fieldset>
  );
}
