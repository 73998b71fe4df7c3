import { distance } from 'fastest-levenshtein';

/** A route in the router's own words, such as `/api/v1/evals/:id`, and its methods. */
export interface RouteMethods {
  url: string;
  methods: readonly string[];
}

const PREFIX = '/api/v1/';
/** A longer path is no slip of a finger, and comparing takes time that grows with the square of the length. */
const MAX_CHARACTERS = 100;
const MAX_SLIPS = 2;
const CHAT = /(^|\/)(chat\/completions|completions|responses|messages)$/;

/**
 * Which route of the API an unknown path was perhaps meant to be, as the end of a sentence; undefined where none is
 * near.
 */
export function nearRoute(path: string, method: string, routes: readonly RouteMethods[]): string | undefined {
  if (path.length > MAX_CHARACTERS) return undefined;
  const wanted = path
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/^(\/+api)?(\/+v\d+)?\/+/, '');
  if (CHAT.test(wanted)) return 'this is no chat endpoint, and POST /api/v1/compare sends a prompt to several models';
  let [best, fewest] = [undefined as RouteMethods | undefined, MAX_SLIPS + 1];
  for (const route of routes.filter(({ url }) => url.startsWith(PREFIX))) {
    const slips = slipsBetween(wanted.split('/'), route.url.slice(PREFIX.length).split('/'));
    if (slips < fewest) [best, fewest] = [route, slips];
  }
  return (
    best &&
    `perhaps ${best.methods.includes(method) ? method : (best.methods.find((known) => known !== 'HEAD') ?? '')} ${best.url.replace(/:(\w+)/g, '{$1}')} was meant`
  );
}

function slipsBetween(wanted: readonly string[], known: readonly string[]): number {
  if (wanted.length !== known.length) return Infinity;
  return known.reduce((sum, segment, index) => {
    const given = wanted[index] ?? '';
    if (segment.startsWith(':')) return given === '' ? Infinity : sum;
    const slips = distance(given, segment);
    return slips > segment.length / 3 ? Infinity : sum + slips;
  }, 0);
}
