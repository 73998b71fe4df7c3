/** The documents that a browser is sent: Swagger UI, the guide, or the web page. */
export type WebPage = 'docs' | 'guide' | 'page';

export const GUIDE_PATH = '/docs/guide';

/** The addresses of the page's screens, as the router spells them; all of them are one file. */
export const PAGE_SCREENS: readonly string[] = [
  '/',
  '/history',
  '/evals',
  '/evals/:id',
  '/shared/:token',
  '/shared/:token/vote',
  '/usage',
  '/experiments',
  '/experiments/new',
  '/experiments/:id',
  '/experiments/:id/vote',
];

/** The web page that a route belongs to; undefined for routes of the API and of machines. */
export function webPageOf(url: string): WebPage | undefined {
  if (url === '/llms.txt' || url === GUIDE_PATH || url.startsWith(`${GUIDE_PATH}/`)) return 'guide';
  if (/^\/docs(\/|$)/.test(url)) return 'docs';
  return PAGE_SCREENS.includes(url) || url.startsWith('/assets/') || url === '/licenses.md' ? 'page' : undefined;
}
