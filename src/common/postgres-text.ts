/** True if Postgres can store a text: it contains no U+0000 and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The text with everything Postgres cannot store replaced by U+FFFD. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** The number of characters (code points) of a text, as JSON Schema counts them: a surrogate pair is one. */
export function charactersIn(text: string): number {
  return text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);
}

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
