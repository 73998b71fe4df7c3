// Encoding a single huge word costs time with the square of its length.
const PIECE_CHARACTERS = 2000;

let tokenizer: Promise<{ countTokens(text: string, options: { disallowedSpecial: Set<string> }): number }> | undefined;

/** Tokens of a text by OpenAI's o200k encoding; near enough for other vendors too, and never less than one for a text. */
export async function countTokens(text: string): Promise<number> {
  // Loaded only when a vendor did not count: it is large.
  tokenizer ??= import('gpt-tokenizer/encoding/o200k_base');
  const encoding = await tokenizer;
  let tokens = 0;
  for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
    tokens += encoding.countTokens(text.slice(from, from + PIECE_CHARACTERS), { disallowedSpecial: new Set() });
  }
  return tokens;
}
