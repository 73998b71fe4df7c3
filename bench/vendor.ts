import { createServer, type AddressInfo, type Socket } from 'node:net';
import { answerOf, nowMicros, stamped } from './vendor.events';

/**
 * All vendors in one process, with bytes prepared in advance and without an HTTP library, so that they never limit a measurement.
 * Anywhere in a request, `[[delay=50]]` delays the answer by 50 ms, `[[texts=4000]]` sets how many events of text it has, and with `[[every=100]]` each of
 * them is sent alone, one in 100 ms, instead of all at once.
 */
const DELAY = /\[\[delay=(\d+)\]\]/;
const TEXTS = /\[\[texts=(\d+)\]\]/;
const EVERY = /\[\[every=(\d+)\]\]/;
const DEFAULT_TEXTS = 40;
const HEAD_END = Buffer.from('\r\n\r\n');

function handle(socket: Socket, head: string, body: string): void {
  const begunMicros = nowMicros();
  const parts = answerOf(head.slice('POST /'.length, head.indexOf('/', 'POST /'.length)), numberIn(body, TEXTS) ?? DEFAULT_TEXTS);
  const [delayMs = 0, everyMs] = [numberIn(body, DELAY), numberIn(body, EVERY)];
  const sendAll = () => socket.write(Buffer.concat(parts.map((part, index) => (index === 1 || index === parts.length - 2 ? stamped(part, begunMicros) : part))));
  if (everyMs === undefined) {
    if (delayMs > 0) setTimeout(sendAll, delayMs);
    else sendAll();
    return;
  }
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(stamped(parts[sent] ?? Buffer.alloc(0), begunMicros));
    sent += 1;
    if (sent === parts.length) clearInterval(timer);
  }, everyMs);
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
  socket.on('data', (data) => { waiting = take(socket, waiting.length === 0 ? data : Buffer.concat([waiting, data])); });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
