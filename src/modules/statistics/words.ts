// Scripts that put no spaces between words.
const UNSPACED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
/** A character of a script that puts no spaces between words. */
export const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');
/** Words between spaces and marks; text without spaces comes as a whole, with the marks that its words may contain. */
export const WORD_OR_RUN = new RegExp(
  String.raw`[${UNSPACED_SCRIPTS}][\p{scx=Hiragana}\p{scx=Katakana}${UNSPACED_SCRIPTS}\p{M}]*|[[\p{L}\p{M}\p{N}]--[${UNSPACED_SCRIPTS}]]+`,
  'gv',
);

const SEGMENTER = new Intl.Segmenter('ja', { granularity: 'word' });

/**
 * The words of a text, for scripts without spaces by the dictionaries of Unicode, which take about a microsecond a
 * character. Reads at most `limit` characters of such a text.
 */
export function segmented(texts: readonly string[], maxCharacters = Infinity): string[] {
  let left = maxCharacters;
  return texts.flatMap((text) => {
    if (!UNSPACED.test(text)) return [text];
    const read = text.slice(0, left);
    left -= read.length;
    return Array.from(SEGMENTER.segment(read)).flatMap(({ segment, isWordLike }) =>
      isWordLike === true ? [segment] : [],
    );
  });
}
