import { ApiError } from '../../common/errors';
import { quotedName, type Columns } from './columns';
import { isLfsPointer, LFS_POINTER, type Faults } from './faults';
import { parsedJson } from './parsed-json';
import { MAX_ROW_BYTES, TOO_LONG, type FileRecord } from './split-records';

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST = 0, CLOSE_LIST = 0, OPEN_OBJECT = 0, CLOSE_OBJECT = 0] = [
  ...Buffer.from('"\\,[]{}'),
];
/** The change of the depth by a byte outside of texts. */
const STEPS: Readonly<Record<number, number>> = {
  [OPEN_LIST]: 1,
  [OPEN_OBJECT]: 1,
  [CLOSE_LIST]: -1,
  [CLOSE_OBJECT]: -1,
};
/** The members that can have the rows; a list alone is rows as well. */
const LISTS: readonly string[] = ['rows', 'examples', 'data'];
/** Room for `{"rows":` and `}` with blanks and line ends. */
const MAX_FRAME_BYTES = 1024;

/** The part of a body before, in or after the list of rows. */
interface Piece {
  kind: 'head' | 'row' | 'tail';
  bytes: Buffer;
  /** The byte that ends it; undefined at the end of the body. */
  end: number | undefined;
}

/**
 * The rows of `{"rows": […]}`, or of a list alone, as bytes, with their positions from 1 as their lines. Keeps no more
 * than one row in memory. @throws ApiError invalid_request for another body or a row that is too long, invalid_json for
 * a body that ends too early
 */
export async function* splitJsonRows(
  chunks: AsyncIterable<Buffer>,
  faults: Faults,
  columns: Columns,
): AsyncGenerator<FileRecord> {
  let [line, head] = [0, ''];
  const refuseLong = (kind: Piece['kind']) => {
    throw kind === 'row' ? faults.stop(line + 1, TOO_LONG) : bodyProblem();
  };
  for await (const { kind, bytes, end } of piecesOf(chunks, refuseLong)) {
    if (kind === 'head') {
      head = bytes.toString().replace(/^\uFEFF/, '');
      readHead(head, end);
    } else if (kind === 'tail') readTail(head, bytes.toString(), columns);
    else if (end === undefined)
      throw new ApiError('invalid_json', { message: 'The body is not valid JSON: it ends before the end of rows.' });
    else {
      line += 1;
      if (bytes.toString('latin1').trim() !== '') yield { line, bytes };
      else if (end === COMMA || line > 1) faults.stop(line, 'is missing beside a comma');
    }
  }
}

/** The head, the elements of the first list and the tail of a body. */
async function* piecesOf(
  chunks: AsyncIterable<Buffer>,
  refuseLong: (kind: Piece['kind']) => void,
): AsyncGenerator<Piece> {
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
      if (!(kind === 'head' ? elements.isBegin(end) : elements.isEnd(end))) continue;
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

  /** True for the byte that begins the first list. */
  isBegin(byte: number): boolean {
    const isBegin = byte === OPEN_LIST && !this.isText;
    if (!isBegin) this.isEnd(byte);
    else this.depth = 0;
    return isBegin;
  }

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

/** Checks the part before the rows: nothing, or an object up to its list of rows. */
function readHead(head: string, end: number | undefined): void {
  if (head.trim() === '' && end === undefined) throw emptyBody();
  if (head.trim() === '') return;
  const frame = parsedJson(end === undefined ? head : `${head}[]}`);
  if (frame instanceof SyntaxError && end === undefined) throw unreadable(head);
  namesBeside(frame);
}

/** Checks the part after the rows, and notes the members beside them. */
function readTail(head: string, tail: string, columns: Columns): void {
  if (head.trim() === '' && tail.trim() === '') return;
  const frame = parsedJson(`${head}[]${tail}`);
  if (frame instanceof SyntaxError) throw unreadable(head);
  for (const name of namesBeside(frame, tail)) columns.note(`${quotedName(name)} beside the rows is left out.`);
}

/** The names of the members beside the rows. @throws ApiError invalid_request if the only list is none of rows */
function namesBeside(frame: unknown, tail = ''): string[] {
  const members = Object.entries(typeof frame === 'object' && frame !== null ? frame : {}) as [string, unknown][];
  const [list, ...others] = members.filter(([, value]) => Array.isArray(value));
  const isRepeated = LISTS.some((name) => tail.includes(`"${name}"`));
  if (list === undefined || others.length > 0 || !LISTS.includes(list[0]) || isRepeated) throw bodyProblem();
  return members.map(([name]) => name).filter((name) => name !== list[0]);
}

function unreadable(text: string): ApiError {
  return isLfsPointer(text)
    ? new ApiError('invalid_request', { message: `The body ${LFS_POINTER}.` })
    : new ApiError('invalid_json', { message: 'The body is not valid JSON.' });
}

/** The error for a request without a body, or with only blanks as JSON. */
export function emptyBody(): ApiError {
  return new ApiError('invalid_json', { message: 'The body is empty; it must be rows as NDJSON, CSV or JSON.' });
}

function bodyProblem(): ApiError {
  return new ApiError('invalid_request', {
    message:
      'rows must be an array of rows: a list alone, or the only list of an object, as `rows`, `examples` or `data`.',
    param: 'rows',
  });
}
