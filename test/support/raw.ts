import { connect } from 'node:net';

/** A raw answer, header names in lower case. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const TIMEOUT_MS = 20_000;

/** Sends these bytes over a new connection. Returns undefined if it ends without a complete answer. */
export async function rawRequest(
  url: string,
  bytes: string | Buffer,
  timeoutMs = TIMEOUT_MS,
): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const finish = (answer: RawAnswer | undefined) => {
      clearTimeout(timer);
      resolve(answer);
      socket.destroy();
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      const answer = wholeAnswer(received, bytes.toString().startsWith('HEAD '), false);
      if (answer !== undefined) finish(answer);
    });
    socket.on('close', () => finish(wholeAnswer(received, bytes.toString().startsWith('HEAD '), true)));
    // Bytes received before a reset still count; the close that follows reads them.
    socket.on('error', () => undefined);
    socket.write(bytes);
  });
}

/** The bytes of a request whose body need not be text. */
export function requestBytes(method: string, path: string, headers: Record<string, string>, body: Buffer): Buffer {
  const lines = Object.entries({
    Host: 'service',
    ...headers,
    Connection: 'close',
    'Content-Length': String(body.length),
  });
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`),
    body,
  ]);
}

/** The text of a request with these lines before its body. */
export function requestText(method: string, path: string, headers: Record<string, string> = {}, body?: string): string {
  const lines = Object.entries({
    Host: 'service',
    ...headers,
    Connection: 'close',
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`;
}

function wholeAnswer(received: Buffer, isHead: boolean, isClosed: boolean): RawAnswer | undefined {
  const text = received.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  // 100 Continue is no answer.
  if (status < 200) return wholeAnswer(received.subarray(end + 4), isHead, isClosed);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = isHead || status === 204 || status === 304 ? '' : bodyOf(received.subarray(end + 4), headers, isClosed);
  return body === undefined ? undefined : { status, headers, body };
}

function bodyOf(bytes: Buffer, headers: Record<string, string>, isClosed: boolean): string | undefined {
  const length = headers['content-length'];
  if (length !== undefined)
    return bytes.length < Number(length) ? undefined : bytes.toString('utf8', 0, Number(length));
  if (headers['transfer-encoding'] === 'chunked') return unchunked(bytes);
  return isClosed ? bytes.toString('utf8') : undefined;
}

function unchunked(bytes: Buffer): string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    if (bytes.length < lineEnd + 2 + size) return undefined;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
