import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../common/clock';
import { ApiError, errorBody } from '../../common/errors';
import { newId } from '../../common/ids';
import { sendErrorResponse } from './error.filter';
import type { RequestObserver } from './request-observer';

const UNSUPPORTED_ENCODING = () =>
  new ApiError('invalid_request', {
    message: 'Transfer-Encoding can only be chunked, named once and without a Content-Length.',
    param: 'Transfer-Encoding',
  });

const WRONG_LENGTH = () =>
  new ApiError('invalid_request', {
    message: 'Content-Length can only be one whole number, and not stand beside a Transfer-Encoding.',
    param: 'Content-Length',
  });

const BY_CODE: Readonly<Record<string, () => ApiError>> = {
  HPE_HEADER_OVERFLOW: () => new ApiError('headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new ApiError('timeout'),
  HPE_INVALID_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_UNEXPECTED_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_INVALID_TRANSFER_ENCODING: UNSUPPORTED_ENCODING,
};

/** The data that a handwritten answer needs. */
interface ByHand {
  clock: Clock;
  observer: RequestObserver;
}

/** Connections whose last answer is on its way: what else is wrong with their request needs no second one. */
const closing = new WeakSet<Duplex>();

/**
 * Answers a request that cannot be parsed as HTTP with the usual error body, written by hand because there is no reply
 * object.
 */
export function handleClientError(error: Error & { code?: string }, socket: Duplex, byHand: ByHand): void {
  if (closing.has(socket)) return;
  sendRawError(socket, BY_CODE[error.code ?? '']?.() ?? new ApiError('invalid_request'), byHand);
}

/**
 * Handles what Node would answer with an empty body or not at all: an unknown Expect header, CONNECT, ambiguous headers
 * (request smuggling), and clients that close their sending half.
 */
export function handleMalformedRequests(adapter: FastifyAdapter, byHand: ByHand): void {
  const instance = adapter.getInstance();
  const unmet = new WeakSet<IncomingMessage>();
  // A client that has closed its sending half may still wait for the response; Node does not document this setting
  // (docs/decisions/0008).
  Object.assign(instance.server, { httpAllowHalfOpen: true });
  instance.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    instance.routing(request, response);
  });
  // With a listener Node itself no longer says 100; authenticateBeforeParsing does.
  instance.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    instance.routing(request, response),
  );
  instance.server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    sendRawError(socket, new ApiError('method_not_allowed'), byHand, {
      request,
      headers: { Allow: 'GET, POST, PUT, PATCH, DELETE' },
    });
  });
  instance.addHook('onRequest', (request, reply, done) => {
    if (unmet.has(request.raw)) refuseAndClose(new ApiError('expectation_failed'), request, reply);
    else if (!refuseAmbiguous(request, reply)) done();
  });
}

/** Refuses a request of which it is ambiguous for which host it is or where it ends. Gives whether it was one. */
export function refuseAmbiguous(request: FastifyRequest, reply: FastifyReply): boolean {
  const refusal = ambiguityOf(request.raw);
  if (refusal !== undefined) refuseAndClose(refusal, request, reply);
  return refusal !== undefined;
}

function refuseAndClose(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  closing.add(request.raw.socket);
  sendErrorResponse(error, request, reply.header('connection', 'close'));
}

/**
 * Why it is ambiguous for which host a request is or where it ends; Node itself takes the first of two Host headers and
 * accepts any coding before chunked.
 */
function ambiguityOf({ headers, httpVersion, rawHeaders }: IncomingMessage): ApiError | undefined {
  const hosts = rawHeaders.filter(
    (text, index) => index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host',
  ).length;
  if (hosts > 1)
    return new ApiError('invalid_request', { message: 'Only one Host header may be sent.', param: 'Host' });
  if (hosts === 0 && httpVersion !== '1.0')
    return new ApiError('invalid_request', { message: 'A Host header is needed.', param: 'Host' });
  return (headers['transfer-encoding'] ?? 'chunked').toLowerCase() === 'chunked' ? undefined : UNSUPPORTED_ENCODING();
}

function sendRawError(
  socket: Duplex,
  error: ApiError,
  { clock, observer }: ByHand,
  { request, headers = {} }: { request?: IncomingMessage; headers?: Record<string, string> } = {},
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId('req', clock.now());
  socket.end(rawErrorResponse(error, requestId, headers), () => socket.destroy());
  observer.answeredByHand({
    reqId: requestId,
    status: error.status,
    code: error.code,
    ...(request !== undefined && { method: request.method ?? '', path: request.url ?? '' }),
  });
}

function rawErrorResponse(error: ApiError, requestId: string, more: Record<string, string>): string {
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} Error\r\n${lines.join('')}\r\n${body}`;
}
