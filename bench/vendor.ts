import { createServer, type AddressInfo, type Socket } from 'node:net';
import { answerOf, nowMicros, stamped, type Answer } from './vendor.events';

/**
 * All vendors in one process, as fast as Node allows, so that they never limit a measurement: bytes prepared in advance, no HTTP library.
 * Anywhere in a request, `[[delay=50]]` delays the answer by 50 ms, `[[texts=4000]]` says how many events of text it has, and with `[[every=100]]` each of
 * them is sent alone, one in 100 ms, instead of all at once.
 */
const DELAY = /\[\[delay=(\d+)\]\]/;
const TEXTS = /\[\[texts=(\d+)\]\]/;
const EVERY = /\[\[every=(\d+)\]\]/;
const DEFAULT_TEXTS = 40;
const HEAD_END = Buffer.from('\r\n\r\n');
const TICK_MS = 5;

/** An answer that is sent event by event. */
interface SlowAnswer {
  socket: Socket;
  answer: Answer;
  begunMicros: number;
  /** Texts sent so far. */
  sent: number;
}

/** Sends slow answers on, each at its own part of the interval, with one timer for all of them. */
class Wheel {
  private readonly slots: Set<SlowAnswer>[];
  private readonly begunMs = performance.now();
  private tick = 0;
  private added = 0;

  constructor(everyMs: number) {
    this.slots = Array.from({ length: Math.max(1, Math.round(everyMs / TICK_MS)) }, () => new Set());
    setInterval(() => this.turn(), TICK_MS);
  }

  add(slow: SlowAnswer): void {
    this.slots[this.added % this.slots.length]?.add(slow);
    this.added += 1;
  }

  // As often as time has passed, even where the timer was late.
  private turn(): void {
    for (const until = (performance.now() - this.begunMs) / TICK_MS; this.tick < until; this.tick += 1) {
      const slot = this.slots[this.tick % this.slots.length];
      for (const slow of slot ?? []) if (sendNext(slow)) slot?.delete(slow);
    }
  }
}

/** Sends the next event. Whether it was the last. */
function sendNext(slow: SlowAnswer): boolean {
  const { socket, answer, begunMicros } = slow;
  if (slow.sent === 0) socket.write(stamped(answer.first, begunMicros));
  else if (slow.sent <= answer.words) socket.write(answer.word);
  else {
    socket.write(stamped(answer.last, begunMicros));
    socket.write(answer.closing);
  }
  slow.sent += 1;
  return slow.sent > answer.words + 1;
}

const wheels = new Map<number, Wheel>();

function wheelOf(everyMs: number): Wheel {
  const wheel = wheels.get(everyMs) ?? new Wheel(everyMs);
  wheels.set(everyMs, wheel);
  return wheel;
}

function handle(socket: Socket, head: string, body: string): void {
  const begunMicros = nowMicros();
  const vendor = head.slice('POST /'.length, head.indexOf('/', 'POST /'.length));
  const answer = answerOf(vendor, numberIn(body, TEXTS) ?? DEFAULT_TEXTS);
  const [delayMs, everyMs] = [numberIn(body, DELAY), numberIn(body, EVERY)];
  if (everyMs !== undefined) {
    socket.write(answer.opening);
    wheelOf(everyMs).add({ socket, answer, begunMicros, sent: 0 });
  } else if (delayMs !== undefined) setTimeout(() => socket.write(stamped(answer.whole, begunMicros)), delayMs);
  else socket.write(stamped(answer.whole, begunMicros));
}

function numberIn(body: string, directive: RegExp): number | undefined {
  const digits = directive.exec(body)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Takes complete requests off the front of the buffer, and returns the rest. */
function take(socket: Socket, received: Buffer): Buffer {
  let rest = received;
  for (;;) {
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
