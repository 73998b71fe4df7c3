import { signal, type ReadonlySignal } from '@preact/signals';
import { parseRoute, type Route } from './routes';

const current = signal<Route>(parseRoute(location.pathname) ?? { name: 'compare' });
let shownPath = location.pathname;
let leftPath: string | undefined;

/** The screen to show. */
export const route: ReadonlySignal<Route> = current;

/** Goes to a screen of this page, as a link does. A fragment may follow the path. */
export function navigate(address: string): void {
  const url = new URL(address, location.href);
  if (parseRoute(url.pathname) === undefined) return location.assign(url);
  history.pushState(null, '', url);
  show();
  // As with a link within the page: whoever reads the fragment hears of the new one.
  if (url.hash !== '') dispatchEvent(new Event('hashchange'));
}

/** The path of the screen that was shown before this one; undefined on the first. */
export function previousPath(): string | undefined {
  return leftPath;
}

/** Follows links to screens of this page without loading it again, and the browser's back and forward. */
export function startRouter(): void {
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (link === undefined) return;
    event.preventDefault();
    navigate(link.href);
  });
  addEventListener('popstate', () => {
    if (location.pathname !== shownPath) show();
  });
}

function show(): void {
  leftPath = shownPath;
  shownPath = location.pathname;
  current.value = parseRoute(shownPath) ?? { name: 'compare' };
}

/** The link of a plain click that stays on this page; whoever holds a key, or asks for another tab, gets what the browser does. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return undefined;
  const isWithin = link.pathname === location.pathname && link.hash !== '';
  return isWithin || parseRoute(link.pathname) === undefined ? undefined : link;
}
