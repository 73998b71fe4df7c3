/** A screen of the page, by its address. */
export type Route = { name: Named } | { name: 'eval' | 'shared' | 'experiment' | 'vote' | 'shared-vote'; id: string };

type Named = 'compare' | 'history' | 'usage' | 'experiments' | 'new-experiment';

const NAMES: Readonly<Record<string, Named>> = {
  '/': 'compare',
  '/history': 'history',
  '/evals': 'history',
  '/evals/': 'history',
  '/usage': 'usage',
  '/experiments': 'experiments',
  '/experiments/': 'experiments',
  '/experiments/new': 'new-experiment',
};
const OF_IDS = { evals: 'eval', shared: 'shared', experiments: 'experiment' } as const;

/** The screen of a path; undefined where it is none of this page. */
export function parseRoute(path: string): Route | undefined {
  const name = Object.hasOwn(NAMES, path) ? NAMES[path] : undefined;
  if (name !== undefined) return { name };
  const [, voted, votes] = /^\/(shared|experiments)\/([^/]+)\/vote$/.exec(path) ?? [];
  if (votes !== undefined) return { name: voted === 'shared' ? 'shared-vote' : 'vote', id: decoded(votes) };
  const [, list, id] = /^\/(evals|shared|experiments)\/([^/]+)$/.exec(path) ?? [];
  return id === undefined ? undefined : { name: OF_IDS[list as keyof typeof OF_IDS], id: decoded(id) };
}

/** The path of an eval's screen. */
export function evalPath(id: string): string {
  return `/evals/${encodeURIComponent(id)}`;
}

/** The path of an experiment's screen. */
export function experimentPath(id: string): string {
  return `/experiments/${encodeURIComponent(id)}`;
}

/** The path of the screen on which people vote on what an experiment judged. */
export function votePath(id: string): string {
  return `${experimentPath(id)}/vote`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
