import { ApiError } from '../common/errors';
import type { Faults } from './faults';
import { MAX_ROW_BYTES, TOO_LONG, type FileRecord } from './split-records';

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST = 0, CLOSE_LIST = 0, OPEN_OBJECT = 0, CLOSE_OBJECT = 0] = [...Buffer.from('"\\,[]{}')];
/** The change of the depth by a byte outside of texts. */
const STEPS: Readonly<Record<number, number>> = { [OPEN_LIST]: 1, [OPEN_OBJECT]: 1, [CLOSE_LIST]: -1, [CLOSE_OBJECT]: -1 };
const HEAD = /^\uFEFF?\s*\{\s*"rows"\s*:\s*$/;
const TAIL = /^\s*\}\s*$/;
/** Room for `{"rows":` and `}` with blanks and line ends. */
const MAX_FRAME_BYTES = 1024;

/** The part of a body before, in or after the list of rows. */
interface Piece {
  kind: 'head' | 'row' | 'tail';
  bytes: Buffer;
  /** The byte that ends it; undefined at the end of the body. */
  end: number | undefined;
}

/** The rows of `{"rows": […]}` as bytes, with their positions from 1 as their lines. Keeps no more than one row in memory. @throws ApiError invalid_request for another body or a row that is too long, invalid_json for a body that ends too early */
export async function* splitJsonRows(chunks: AsyncIterable<Buffer>, faults: Faults): AsyncGenerator<FileRecord> {
  let line = 0;
  const refuseLong = (kind: Piece['kind']) => (kind === 'row' ? faults.stop(line + 1, TOO_LONG) : refuseBody());
  for await (const { kind, bytes, end } of piecesOf(chunks, refuseLong)) {
    if (kind !== 'row') refuseFrame(kind, bytes, end);
    else if (end === undefined) throw new ApiError('invalid_json', { message: 'The body is not valid JSON: it ends before the end of rows.' });
    else {
      line += 1;
      if (bytes.toString('latin1').trim() !== '') yield { line, bytes };
      else if (end === COMMA || line > 1) faults.stop(line, 'is missing beside a comma');
    }
  }
}

/** The head, the elements of the first list and the tail of a body. */
async function* piecesOf(chunks: AsyncIterable<Buffer>, refuseLong: (kind: Piece['kind']) => void): AsyncGenerator<Piece> {
  const elements = new ElementEnds();
  let [kind, size]: [Piece['kind'], number] = ['head', 0];
  let parts: Buffer[] = [];
  const add = (part: Buffer) => {
    parts.push(part);
    size += part.length;
    if (size > (kind === 'row' ? MAX_ROW_BYTES : MAX_FRAME_BYTES)) refuseLong(kind);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length && kind !== 'tail'; at += 1) {
      const end = chunk[at] ?? 0;
      if (kind === 'head' ? end !== OPEN_LIST : !elements.isEnd(end)) continue;
      add(chunk.subarray(start, at));
      yield { kind, bytes: Buffer.concat(parts), end };
      [parts, size, start] = [[], 0, at + 1];
      kind = end === CLOSE_LIST ? 'tail' : 'row';
    }
    add(chunk.subarray(start));
  }
  yield { kind, bytes: Buffer.concat(parts), end: undefined };
}

/** Finds the bytes that end an element of a JSON list. */
class ElementEnds {
  private depth = 0;
  private isText = false;
  private isEscaped = false;

  isEnd(byte: number): boolean {
    if (this.isText) {
      this.isText = this.isEscaped || byte !== QUOTE;
      this.isEscaped = !this.isEscaped && byte === BACKSLASH;
      return false;
    }
    if (this.depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) return true;
    this.isText = byte === QUOTE;
    this.depth = Math.max(0, this.depth + (STEPS[byte] ?? 0));
    return false;
  }
}

function refuseFrame(kind: 'head' | 'tail', bytes: Buffer, end: number | undefined): void {
  const text = bytes.toString();
  if (kind === 'head' && end === undefined && text.trim() === '') throw emptyBody();
  if (kind === 'head' ? end !== undefined && HEAD.test(text) : TAIL.test(text)) return;
  // The rest of a body with another list is not read.
  if (end === undefined && !isJson(kind === 'head' ? text : `{"rows":[]${text}`)) throw new ApiError('invalid_json', { message: 'The body is not valid JSON.' });
  refuseBody();
}

/** The error for a request without a body, or with only blanks as JSON. */
export function emptyBody(): ApiError {
  return new ApiError('invalid_json', { message: 'The body is empty; it must be rows as NDJSON, CSV or JSON.' });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

function refuseBody(): never {
  throw new ApiError('invalid_request', { message: 'rows must be an array of rows, the only member of the body.', param: 'rows' });
}
