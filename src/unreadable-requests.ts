import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Clock } from './common/clock';
import { answerError } from './common/error.filter';
import { ApiError, errorBody, type ErrorCode } from './common/errors';
import { newId } from './common/ids';

const CODES: Readonly<Record<string, ErrorCode>> = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'timeout' };

/** A request that is no HTTP gets the one error body all the same, written by hand because there is no reply object. */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex, clock: Clock): void {
  answerByHand(socket, CODES[error.code ?? ''] ?? 'invalid_request', clock);
}

/** What Node would answer itself with an empty body, or not at all: an unknown Expect header, CONNECT, no Host header. */
export function answerWhatNodeWould(adapter: FastifyAdapter, clock: Clock): void {
  const instance = adapter.getInstance();
  instance.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = handwritten('expectation_failed', clock);
    response.writeHead(status, headers).end(body);
  });
  instance.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    answerByHand(socket, 'method_not_allowed', clock, { Allow: 'GET, POST, PATCH, DELETE' });
  });
  instance.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host !== undefined || request.raw.httpVersion === '1.0') return done();
    answerError(new ApiError('invalid_request', { message: 'A Host header is needed.', param: 'Host' }), request, reply);
  });
}

function answerByHand(socket: Duplex, code: ErrorCode, clock: Clock, more: Record<string, string> = {}): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = handwritten(code, clock);
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Error\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

function handwritten(code: ErrorCode, clock: Clock): { status: number; headers: Record<string, string>; body: string } {
  const error = new ApiError(code);
  const requestId = newId('req', clock.now());
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8', 'Content-Length': String(Buffer.byteLength(body)), 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', Connection: 'close',
  };
  return { status: error.status, headers, body };
}
