import { route } from '../router';
import { keyInUse } from '../session';
import { Menu } from './menu';

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
