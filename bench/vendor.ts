import { createServer, type AddressInfo, type Socket } from 'node:net';
import { answerOf, nowMicros, stamped } from './vendor.answers';

/**
 * All vendors in one process, with bytes prepared in advance and without an HTTP library, so that they never limit a
 * measurement.
 * The answer is whole unless the request asks for a stream. Anywhere in a request, `[[delay=50]]` delays the answer by
 * 50 ms, `[[texts=4000]]` sets how many
 * events of text it has, and with `[[every=100]]` each of them is sent alone, one in 100 ms. A whole answer then comes
 * when the last event would.
 */
const DELAY = /\[\[delay=(\d+)\]\]/;
const TEXTS = /\[\[texts=(\d+)\]\]/;
const EVERY = /\[\[every=(\d+)\]\]/;
const DEFAULT_TEXTS = 40;
const HEAD_END = Buffer.from('\r\n\r\n');

function handle(socket: Socket, head: string, body: string): void {
  const begunMicros = nowMicros();
  const [vendor, texts, everyMs] = [
    head.slice('POST /'.length, head.indexOf('/', 'POST /'.length)),
    numberIn(body, TEXTS) ?? DEFAULT_TEXTS,
    numberIn(body, EVERY),
  ];
  const isStreamed = body.includes('"stream":true');
  const parts = answerOf(vendor, texts, isStreamed);
  if (isStreamed && everyMs !== undefined) {
    for (const [index, part] of parts.entries())
      setTimeout(() => socket.write(stamped(part, begunMicros)), (index + 1) * everyMs);
    return;
  }
  // Only the first and the last text have room for a stamp.
  const sendAll = () =>
    socket.write(
      Buffer.concat(
        parts.map((part, index) => (index === 1 || index === parts.length - 2 ? stamped(part, begunMicros) : part)),
      ),
    );
  const waitMs = everyMs === undefined ? (numberIn(body, DELAY) ?? 0) : everyMs * answerOf(vendor, texts, true).length;
  if (waitMs > 0) setTimeout(sendAll, waitMs);
  else sendAll();
}

function numberIn(body: string, directive: RegExp): number | undefined {
  const digits = directive.exec(body)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Handles the complete requests at the front of the buffer, and returns the rest. */
function take(socket: Socket, received: Buffer): Buffer {
  for (let rest = received; ;) {
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd < 0) return rest;
    const head = rest.toString('latin1', 0, headEnd);
    const end = headEnd + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (rest.length < end) return rest;
    handle(socket, head, rest.toString('utf8', headEnd + 4, end));
    rest = rest.subarray(end);
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let waiting: Buffer = Buffer.alloc(0);
  socket.on('data', (data) => {
    waiting = take(socket, waiting.length === 0 ? data : Buffer.concat([waiting, data]));
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
