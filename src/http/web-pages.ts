/** The documents that a browser is sent: Swagger UI, or the web page. */
export type WebPage = 'docs' | 'page';

/** The addresses of the page's screens, as the router spells them; all of them are one file. */
export const PAGE_SCREENS: readonly string[] = ['/', '/history', '/evals/:id', '/shared/:token', '/usage'];

/** The web page that a route belongs to; undefined for routes of the API and of machines. */
export function webPageOf(url: string): WebPage | undefined {
  if (/^\/docs(\/|$)/.test(url)) return 'docs';
  return PAGE_SCREENS.includes(url) || url.startsWith('/assets/') || url === '/licenses.md' ? 'page' : undefined;
}
