/** A page for people, with separate files: Swagger UI, or the playground. */
export type Page = 'docs' | 'playground';

/** The addresses of the playground's screens, as the router spells them; all of them are one file. */
export const PLAYGROUND_SCREENS: readonly string[] = ['/', '/history', '/evals/:id', '/shared/:token', '/usage'];

/** The page that a route belongs to; routes of the API and of machines belong to none. */
export function pageOf(url: string): Page | undefined {
  if (/^\/docs(\/|$)/.test(url)) return 'docs';
  return PLAYGROUND_SCREENS.includes(url) || url.startsWith('/assets/') || url === '/licenses.md' ? 'playground' : undefined;
}
