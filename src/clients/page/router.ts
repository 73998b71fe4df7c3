import { signal, type ReadonlySignal } from '@preact/signals';
import { parseRoute, type Route } from './routes';

const current = signal<Route>(parseRoute(location.pathname) ?? { name: 'compare' });
let shownPath = location.pathname;
/** The link that led away from a screen, by the path of that screen. */
const linksAway = new Map<string, string>();
let linkToReturnTo: string | undefined;

/** The screen to show. */
export const route: ReadonlySignal<Route> = current;

/** Goes to a screen of this page, as a link does. A fragment may follow the path. */
export function navigate(address: string): void {
  const url = new URL(address, location.href);
  if (parseRoute(url.pathname) === undefined) return location.assign(url);
  linkToReturnTo = undefined;
  history.pushState(null, '', url);
  show();
  // As with a link within the page: readers of the fragment get the new one.
  if (url.hash !== '') dispatchEvent(new Event('hashchange'));
}

/** After going back: the address, as written, of the link that had led away from the screen now shown. */
export function returnLink(): string | undefined {
  return linkToReturnTo;
}

/** Follows links to screens of this page without loading it again, and the browser's back and forward. */
export function startRouter(): void {
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (link === undefined) return;
    event.preventDefault();
    linksAway.set(location.pathname, link.getAttribute('href') ?? '');
    navigate(link.href);
  });
  addEventListener('popstate', () => {
    if (location.pathname === shownPath) return;
    linkToReturnTo = linksAway.get(location.pathname);
    show();
  });
}

function show(): void {
  shownPath = location.pathname;
  current.value = parseRoute(shownPath) ?? { name: 'compare' };
}

/**
 * The link of a plain click that stays on this page. Clicks with a modifier key, or for another tab, are left to the
 * browser.
 */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  const isPlain =
    !event.defaultPrevented &&
    event.button === 0 &&
    !event.metaKey &&
    !event.ctrlKey &&
    !event.shiftKey &&
    !event.altKey;
  const link = isPlain && event.target instanceof Element ? event.target.closest('a') : null;
  return link !== null && staysHere(link) ? link : undefined;
}

/** True if a link leads to a screen; links within a screen are left to the browser. */
function staysHere(link: HTMLAnchorElement): boolean {
  const isWithin = link.pathname === location.pathname && link.hash !== '';
  return (
    link.origin === location.origin &&
    link.target === '' &&
    !link.hasAttribute('download') &&
    !isWithin &&
    parseRoute(link.pathname) !== undefined
  );
}
