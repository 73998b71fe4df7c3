const FORM = /^mcs_[0-9A-Za-z]{36}$/;
const MAX_CHARACTERS = 200;

/** The kind of a pasted key, by its form. */
type PastedKey =
  | { kind: 'user'; key: string }
  /** Of another form: the operator's key, or none of this service. */
  | { kind: 'other'; key: string }
  /** Nothing that a header could carry. */
  | { kind: 'none' };

/**
 * Reads what was pasted as a key: without the white space, quotes and "Bearer" (or its whole header) that come along
 * when it is copied.
 */
export function parsePastedKey(text: string): PastedKey {
  const key = text
    // Zero-width characters and byte-order marks come along from chats and files.
    .replace(/[\s\u200b-\u200d\u2060\ufeff]+/g, ' ')
    .replace(/^["'`“”‘’\s]*(?:authorization\s*:\s*)?(?:bearer(?:\s+|$))?/i, '')
    .replace(/["'`“”‘’,;\s]+/g, '');
  if (key === '') return { kind: 'none' };
  if (FORM.test(key)) return { kind: 'user', key };
  return /^[\x21-\x7e]+$/.test(key) && key.length <= MAX_CHARACTERS ? { kind: 'other', key } : { kind: 'none' };
}

/** The key of a fragment, and the fragment without it; undefined without a key. */
export function splitKey(fragment: string): { key: string; rest: string } | undefined {
  const members = fragment.replace(/^#/, '').split('&');
  const own = members.find(isKey);
  if (own === undefined) return undefined;
  const rest = members.filter((member) => !isKey(member)).join('&');
  return { key: new URLSearchParams(own).get('key') ?? '', rest: rest === '' ? '' : `#${rest}` };
}

function isKey(member: string): boolean {
  return member.startsWith('key=');
}
