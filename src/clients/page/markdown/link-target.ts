const ALLOWED = new Set(['http:', 'https:', 'mailto:']);
// Invisible characters: controls, soft hyphens, zero-width characters, direction marks, fillers.
const INVISIBLE = /[\p{Cc}\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]/u;

/** Where a link leads. */
interface LinkTarget {
  href: string;
  /** The part that people must see: the host, or the mail address. */
  host: string;
}

/**
 * The target of a link in an answer; undefined for all but whole addresses of http, https and mailto, which are not
 * made links.
 */
export function linkTarget(href: string): LinkTarget | undefined {
  const url = URL.parse(href);
  if (url === null || !ALLOWED.has(url.protocol)) return undefined;
  const host = url.protocol === 'mailto:' ? readable(url.pathname) : url.host;
  return host === '' ? undefined : { href: url.href, host };
}

/**
 * True if the words of a link are its address, so that they show its target. Words with invisible characters never do.
 */
export function showsHost(words: string, { host }: LinkTarget): boolean {
  if (INVISIBLE.test(words)) return false;
  if (words === host) return true;
  const url = URL.parse(words.includes('://') ? words : `https://${words}`);
  return url !== null && url.host === host && url.username === '';
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
