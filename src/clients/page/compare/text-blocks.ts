/** A block ends at the first line break after this number of characters. */
const MIN_BLOCK_CHARACTERS = 400;

/**
 * Splits text that is added to a block of that length: the first part belongs to that block, each other part is a new
 * block. The line break between two
 * blocks is in neither, since blocks are rendered below each other anyway.
 */
export function splitAppended(length: number, added: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let missing = Math.max(0, MIN_BLOCK_CHARACTERS - length);
  for (;;) {
    const end = added.indexOf('\n', start + missing);
    if (end < 0) return [...parts, added.slice(start)];
    parts.push(added.slice(start, end));
    start = end + 1;
    missing = MIN_BLOCK_CHARACTERS;
  }
}
