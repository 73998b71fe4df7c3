import type { Faults } from './faults';

/** The longest row in bytes, without its line end. */
export const MAX_ROW_BYTES = 262_144;
/** The problem of a longer one. */
export const TOO_LONG = 'is longer than 262,144 bytes';

const [LF, CR, QUOTE] = [10, 13, 34];
/**
 * The bytes after which a double quote opens a cell: line ends, delimiters, the quote before it, and the end of the
 * byte order mark.
 */
const BEFORE_CELLS: ReadonlySet<number> = new Set([...Buffer.from('\n\r,;\t"'), 0xbf]);
const BOM = Buffer.from('\uFEFF');

/** The bytes of one row of a file, and the line on which it begins. */
export interface FileRecord {
  line: number;
  bytes: Buffer;
}

/**
 * The non-blank rows of a file, without line ends and byte order mark. With `quotes`, a line end in double quotes
 * belongs to its row. Keeps no more than one row in memory. @throws ApiError invalid_request for a row that is too long
 */
export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  faults: Faults,
  { quotes }: { quotes: boolean },
): AsyncGenerator<FileRecord> {
  let [line, begun, size, isQuoted, previous] = [1, 1, 0, false, LF];
  let parts: Buffer[] = [];
  const add = (part: Buffer) => {
    size += part.length;
    parts.push(part);
    // With room for what is trimmed.
    if (size > MAX_ROW_BYTES + BOM.length + 1)
      faults.stop(begun, isQuoted ? `${TOO_LONG}; is a double quote not closed?` : TOO_LONG);
  };
  function* completed(): Generator<FileRecord> {
    const record = { line: begun, bytes: trimmed(Buffer.concat(parts), begun === 1) };
    [parts, size, begun] = [[], 0, line];
    if (record.bytes.length > MAX_ROW_BYTES) faults.stop(record.line, TOO_LONG);
    if (record.bytes.length > 0) yield record;
  }
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const [byte = 0, before] = [chunk[at], previous];
      previous = byte;
      if (byte === QUOTE) isQuoted = quotes && !isQuoted && BEFORE_CELLS.has(before);
      else if (byte === LF) line += 1;
      if (byte !== LF || isQuoted) continue;
      add(chunk.subarray(start, at));
      start = at + 1;
      yield* completed();
    }
    add(chunk.subarray(start));
  }
  yield* completed();
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const end = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
  return bytes.subarray(isFirst && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0, end);
}
