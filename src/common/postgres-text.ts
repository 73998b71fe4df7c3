/** Whether Postgres can keep a text: no U+0000 and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The same text with everything that Postgres cannot keep replaced by U+FFFD. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** Characters of a text as people and JSON Schema count them: one for a surrogate pair. */
export function charactersIn(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
