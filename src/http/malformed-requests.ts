import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Clock } from '../common/clock';
import { ApiError, errorBody } from '../common/errors';
import { newId } from '../common/ids';
import { sendErrorResponse } from './error.filter';

const UNSUPPORTED_ENCODING = () => new ApiError('invalid_request', { message: 'Transfer-Encoding can only be chunked, named once and without a Content-Length.', param: 'Transfer-Encoding' });

const WRONG_LENGTH = () => new ApiError('invalid_request', { message: 'Content-Length can only be one whole number, and not stand beside a Transfer-Encoding.', param: 'Content-Length' });

const BY_CODE: Readonly<Record<string, () => ApiError>> = {
  HPE_HEADER_OVERFLOW: () => new ApiError('headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new ApiError('timeout'),
  HPE_INVALID_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_UNEXPECTED_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_INVALID_TRANSFER_ENCODING: UNSUPPORTED_ENCODING,
};

/** Answers a request that cannot be parsed as HTTP with the usual error body, written by hand because there is no reply object. */
export function handleClientError(error: Error & { code?: string }, socket: Duplex, clock: Clock): void {
  sendRawError(socket, BY_CODE[error.code ?? '']?.() ?? new ApiError('invalid_request'), clock);
}

/** Handles what Node would answer with an empty body or not at all: an unknown Expect header, CONNECT, ambiguous headers (request smuggling), and clients that close their sending half. */
export function handleMalformedRequests(adapter: FastifyAdapter, clock: Clock): void {
  const instance = adapter.getInstance();
  // A client that has closed its sending half may still wait for the response; the types do not know this server setting.
  Object.assign(instance.server, { httpAllowHalfOpen: true });
  instance.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = rawErrorResponse(new ApiError('expectation_failed'), clock);
    response.writeHead(status, headers).end(body);
  });
  instance.server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    sendRawError(socket, new ApiError('method_not_allowed'), clock, { Allow: 'GET, POST, PATCH, DELETE' });
  });
  instance.addHook('onRequest', (request, reply, done) => {
    const refusal = ambiguityOf(request.raw);
    if (refusal === undefined) return done();
    sendErrorResponse(refusal, request, reply.header('connection', 'close'));
  });
}

/** Why it is ambiguous for which host a request is or where it ends; Node itself takes the first of two Host headers and accepts any coding before chunked. */
function ambiguityOf({ headers, httpVersion, rawHeaders }: IncomingMessage): ApiError | undefined {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host').length;
  if (hosts > 1) return new ApiError('invalid_request', { message: 'Only one Host header may be sent.', param: 'Host' });
  if (hosts === 0 && httpVersion !== '1.0') return new ApiError('invalid_request', { message: 'A Host header is needed.', param: 'Host' });
  return (headers['transfer-encoding'] ?? 'chunked').toLowerCase() === 'chunked' ? undefined : UNSUPPORTED_ENCODING();
}

function sendRawError(socket: Duplex, error: ApiError, clock: Clock, more: Record<string, string> = {}): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = rawErrorResponse(error, clock);
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Error\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

function rawErrorResponse(error: ApiError, clock: Clock): { status: number; headers: Record<string, string>; body: string } {
  const requestId = newId('req', clock.now());
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8', 'Content-Length': String(Buffer.byteLength(body)), 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', Connection: 'close',
  };
  return { status: error.status, headers, body };
}
