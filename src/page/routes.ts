/** A screen of the page, by its address. */
export type Route = { name: 'compare' | 'history' | 'usage' } | { name: 'eval' | 'shared'; id: string };

const NAMES: Readonly<Record<string, 'compare' | 'history' | 'usage'>> = { '/': 'compare', '/history': 'history', '/usage': 'usage' };

/** The screen of a path; undefined where it is none of this page. */
export function parseRoute(path: string): Route | undefined {
  const [, list, id] = /^\/(evals|shared)\/([^/]+)$/.exec(path) ?? [];
  if (id !== undefined) return { name: list === 'evals' ? 'eval' : 'shared', id: decoded(id) };
  const name = Object.hasOwn(NAMES, path) ? NAMES[path] : undefined;
  return name === undefined ? undefined : { name };
}

/** The path of an eval's screen. */
export function evalPath(id: string): string {
  return `/evals/${encodeURIComponent(id)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
