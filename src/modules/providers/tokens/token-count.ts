import { countTokens as countPiece, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';

// Encoding a single huge word costs time with the square of its length.
const CHUNK_CHARACTERS = 2000;
// A piece without spaces is one entry of some 30 KB; the tokenizer would keep 100,000 of them.
setMergeCacheSize(1000);

/**
 * Tokens of a text by OpenAI's o200k encoding; near enough for other vendors too, and never less than one for a text.
 * Large to load and slow for long texts: only the worker thread imports it.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (let from = 0; from < text.length; from += CHUNK_CHARACTERS) {
    tokens += countPiece(text.slice(from, from + CHUNK_CHARACTERS), { disallowedSpecial: new Set() });
  }
  return tokens;
}
