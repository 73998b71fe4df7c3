import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * All vendors in one process, as fast as Node can be, so that they are never what is measured: bytes made beforehand, no HTTP library.
 * `[[delay=50]]` anywhere in a request holds the answer back so many milliseconds. The text ends in the microseconds the answer really took,
 * `[00050123us]`, so that the vendor's own lateness can be taken off.
 */
const PIECES = 32;
const WORD = ' comparisons';
const CLOCK = '[00000000us]';
const DELAY = /\[\[delay=(\d+)\]\]/;
const HEAD_END = Buffer.from('\r\n\r\n');

const chat = template([
  ...Array.from({ length: PIECES }, () => chatEvent({ choices: [{ index: 0, delta: { content: WORD }, finish_reason: null }] })),
  chatEvent({ choices: [{ index: 0, delta: { content: CLOCK }, finish_reason: null }] }),
  chatEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chatEvent({ choices: [], usage: { prompt_tokens: 40, completion_tokens: 64, total_tokens: 104 } }),
  'data: [DONE]\n\n',
]);

const messages = template([
  messageEvent('message_start', { message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 40, output_tokens: 1 } } }),
  messageEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...[...Array.from({ length: PIECES }, () => WORD), CLOCK].map((text) => messageEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  messageEvent('content_block_stop', { index: 0 }),
  messageEvent('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 64 } }),
  messageEvent('message_stop', {}),
]);

interface Template {
  bytes: Buffer;
  clockAt: number;
}

function chatEvent(members: object): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'm', ...members })}\n\n`;
}

function messageEvent(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** Every event is an HTTP chunk of its own, as a real stream mostly comes. */
function template(events: readonly string[]): Template {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n';
  const chunks = events.map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
  const bytes = Buffer.from(`${head}${chunks.join('')}0\r\n\r\n`);
  return { bytes, clockAt: bytes.indexOf(CLOCK) + 1 };
}

function answer(socket: Socket, { bytes, clockAt }: Template, begunMs: number): void {
  const copy = Buffer.from(bytes);
  copy.write(String(Math.round((performance.now() - begunMs) * 1000)).padStart(8, '0'), clockAt, 'latin1');
  socket.write(copy);
}

function handle(socket: Socket, head: string, body: string): void {
  const begunMs = performance.now();
  const form = head.includes('/messages ') ? messages : chat;
  const delay = Number(DELAY.exec(body)?.[1] ?? 0);
  if (delay === 0) answer(socket, form, begunMs);
  else setTimeout(() => answer(socket, form, begunMs), delay);
}

/** Takes whole requests off the front of what has come, and gives back the rest. */
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
