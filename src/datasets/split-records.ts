import type { Faults } from './faults';

/** The longest row in bytes, without its line end. */
export const MAX_ROW_BYTES = 262_144;
/** The problem of a longer one. */
export const TOO_LONG = 'is longer than 262,144 bytes';

const [LF, CR, QUOTE] = [10, 13, 34];
const BOM = Buffer.from('\uFEFF');

/** The bytes of one row of a file, and the line on which it begins. */
export interface FileRecord {
  line: number;
  bytes: Buffer;
}

/** The non-blank rows of a file, without line ends and byte order mark. With `quotes`, a line end in double quotes belongs to its row. Keeps no more than one row in memory. @throws ApiError invalid_request for a row that is too long */
export async function* splitRecords(chunks: AsyncIterable<Buffer>, faults: Faults, { quotes }: { quotes: boolean }): AsyncGenerator<FileRecord> {
  let [line, begun, size, isQuoted, isFirst] = [1, 1, 0, false, true];
  let parts: Buffer[] = [];
  const add = (part: Buffer) => {
    parts.push(part);
    size += part.length;
  };
  const complete = (): FileRecord | undefined => {
    const record = { line: begun, bytes: trimmed(Buffer.concat(parts), isFirst) };
    [parts, size, begun, isFirst] = [[], 0, line, false];
    if (record.bytes.length > MAX_ROW_BYTES) faults.stop(record.line, TOO_LONG);
    return record.bytes.length === 0 ? undefined : record;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] === QUOTE) isQuoted = quotes && !isQuoted;
      else if (chunk[at] === LF) {
        line += 1;
        if (isQuoted) continue;
        add(chunk.subarray(start, at));
        start = at + 1;
        const record = complete();
        if (record !== undefined) yield record;
      }
    }
    add(chunk.subarray(start));
    // With room for what is trimmed.
    if (size > MAX_ROW_BYTES + BOM.length + 1) faults.stop(begun, isQuoted ? `${TOO_LONG}; is a double quote not closed?` : TOO_LONG);
  }
  const record = complete();
  if (record !== undefined) yield record;
}

function trimmed(bytes: Buffer, isFirst: boolean): Buffer {
  const end = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
  return bytes.subarray(isFirst && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0, end);
}
