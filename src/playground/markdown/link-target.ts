const ALLOWED = new Set(['http:', 'https:', 'mailto:']);
// What a text can hold without showing it: controls, soft hyphens, zero-width characters, what turns the direction, fillers.
const INVISIBLE = /[\p{Cc}\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]/u;

/** Where a link leads. */
export interface LinkTarget {
  href: string;
  /** What people have to see of it: the host, or the address of a mail. */
  host: string;
}

/** The target of a link in an answer; undefined for all but whole addresses of http, https and mailto, which are not made links. */
export function linkTarget(href: string): LinkTarget | undefined {
  const url = URL.parse(href);
  if (url === null || !ALLOWED.has(url.protocol)) return undefined;
  const host = url.protocol === 'mailto:' ? readable(url.pathname) : url.host;
  return host === '' ? undefined : { href: url.href, host };
}

/** Whether the words of a link are its address, so that they show where it leads. Words with invisible characters never do. */
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
