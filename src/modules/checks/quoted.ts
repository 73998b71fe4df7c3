const MAX_QUOTED_CHARACTERS = 60;

/** A text as a reason quotes it: short and in quotation marks. */
export function quoted(text: string): string {
  // Cut by units, where a pair may be cut in two; Postgres stores no half of one.
  return JSON.stringify(
    text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…` : text,
  );
}
