import type { ComponentChildren } from 'preact';
import type { KeyInUse } from '../../client/client';
import { prefs, setPrefs, THEMES } from '../prefs';
import { route } from '../router';
import { forgetKey, keyInUse } from '../session';
import { showKeyboardHelp } from './keyboard';

const LINKS = [
  { href: '/', name: 'compare', text: 'Compare' },
  { href: '/history', name: 'history', text: 'History' },
  { href: '/experiments', name: 'experiments', text: 'Experiments' },
  { href: '/usage', name: 'usage', text: 'Usage' },
] as const;

/** The head of every screen, one line. On the phone its links are in the menu. */
export function Header() {
  const key = keyInUse.value;
  return (
    <header class="head">
      <a class="brand" href="/">
        Model Comparison
      </a>
      <Navigation class="head-nav" label="Screens" isSignedIn={key !== undefined} />
      <div class="head-end">
        {key !== undefined && <FreeLeft {...key.limits.free_evals} />}
        <Menu keyInUse={key}>
          <Navigation class="menu-nav" label="Screens, in the menu" isSignedIn={key !== undefined} />
        </Menu>
      </div>
    </header>
  );
}

/** Links to the screens that there are: before a key is good, only the documentation of the API. */
function Navigation({ class: name, label, isSignedIn }: { class: string; label: string; isSignedIn: boolean }) {
  return (
    <nav class={name} aria-label={label}>
      {isSignedIn &&
        LINKS.map((link) => (
          <a key={link.href} href={link.href} aria-current={link.name === route.value.name ? 'page' : undefined}>
            {link.text}
          </a>
        ))}
      <a href="/docs/guide">Guide</a>
      <a href="/docs">API</a>
    </nav>
  );
}

function FreeLeft({ remaining, limit }: { remaining: number; limit: number }) {
  return (
    <span class="free-left" title={`${remaining} of ${limit} free evals are left this month`}>
      {remaining} free left
    </span>
  );
}

const ID = 'menu';

/**
 * The menu of the head: on the phone the screens, then the key in use, the theme, the keyboard. A popover, so that
 * Escape and a click elsewhere close it.
 */
function Menu({ keyInUse, children }: { keyInUse: KeyInUse | undefined; children: ComponentChildren }) {
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

type Spend = NonNullable<KeyInUse['limits']['key_spend']>;

/** The scopes of the key in use, and the rest of its limits this month. */
function KeyFacts({
  keyInUse: { name, prefix, email, scopes, allowed_models: models, expires_at: expiresAt, limits },
}: {
  keyInUse: KeyInUse;
}) {
  const facts: readonly (readonly [label: string, text: string, title?: string])[] = [
    ['Key', `${name} (${prefix}…)`],
    ['User', email],
    ['May', scopes.join(', ')],
    ['Models', models === null ? 'all' : models.join(', ')],
    ['Expires', expiresAt === null ? 'never' : `${expiresAt.slice(0, 10)} (UTC)`, expiresAt ?? undefined],
    ['Free evals', `${limits.free_evals.remaining} of ${limits.free_evals.limit} left this month`, limits.month],
    ...spend('Key’s limit', limits.key_spend),
    ...spend('User’s limit', limits.user_spend),
  ];
  return (
    <dl class="key-facts">
      {facts.map(([label, text, title]) => [
        <dt key={label}>{label}</dt>,
        <dd key={`${label} text`} title={title}>
          {text}
        </dd>,
      ])}
    </dl>
  );
}

function spend(label: string, limit: Spend | null): [string, string][] {
  return limit === null ? [] : [[label, `$${limit.remaining_usd} of $${limit.limit_usd} left`]];
}
