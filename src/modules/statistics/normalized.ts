/** Marks in a row, the half-width voice marks among them, which become such. More than 30 no language has. */
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;
/** Joins nothing and is not seen; marks are not put in order across it. */
const JOINER = '\u034f';

/** A text in the form NFKC and in lower case. */
export function normalized(text: string): string {
  return inShortRows(text).normalize('NFKC').toLowerCase();
}

/** A text in the form NFC: each letter and its accents as one character where there is one. */
export function composed(text: string): string {
  return inShortRows(text).normalize('NFC');
}

/**
 * Marks in a row are put in order, which takes a time that grows with the square of their number: 50,000 of them would
 * hold up everything else
 * for seconds. So they are cut into pieces, as the Unicode standard has it for streams (UAX #15, 13).
 */
function inShortRows(text: string): string {
  return text.replace(MANY_MARKS, `$&${JOINER}`);
}
