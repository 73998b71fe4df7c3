import { route } from '../router';
import { keyInUse } from '../session';
import { Menu } from './menu';

const LINKS = [{ href: '/', name: 'compare', text: 'Compare' }, { href: '/history', name: 'history', text: 'History' }, { href: '/usage', name: 'usage', text: 'Usage' }] as const;

/** The head of every screen: one line. On the phone its links are in the menu. */
export function Header() {
  const key = keyInUse.value;
  return (
    <header class="head">
      <a class="brand" href="/">Model Comparison</a>
      {key !== undefined && <Navigation class="head-nav" />}
      <div class="head-end">
        {key !== undefined && <FreeLeft remaining={key.limits.free_evals.remaining} />}
        <Menu keyInUse={key}>{key !== undefined && <Navigation class="menu-nav" />}</Menu>
      </div>
    </header>
  );
}

/** Links to the screens. */
function Navigation({ class: name }: { class: string }) {
  return (
    <nav class={name} aria-label={name === 'menu-nav' ? 'Screens, in the menu' : 'Screens'}>
      {LINKS.map((link) => <a key={link.href} href={link.href} aria-current={link.name === route.value.name ? 'page' : undefined}>{link.text}</a>)}
      <a href="/docs">API</a>
    </nav>
  );
}

function FreeLeft({ remaining }: { remaining: number }) {
  return <span class="free-left" title="Free evals that are left this month">{remaining} free left</span>;
}
