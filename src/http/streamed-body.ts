import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import { encodingProblem } from './json-body-parser';

/** The formats that a route with `streamedBody` in its config takes as a stream, beside JSON. */
export const STREAMED_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

/** How long the rest of a refused body is read and discarded before the response. */
const DISCARD_MS = 500;

/** Accepts uncompressed NDJSON and CSV in UTF-8 on routes with `streamedBody` in their config; no other route takes them. Their body is the unread request. */
export function addStreamedBodyParsers(adapter: FastifyAdapter): void {
  adapter.getInstance().addContentTypeParser(Object.values(STREAMED_TYPES), (request, payload, done) => {
    const isTaken = (request.routeOptions.config as { streamedBody?: boolean }).streamedBody === true;
    const refusal = isTaken ? encodingProblem(request) : new ApiError('unsupported_media_type');
    done(refusal ?? null, payload);
  });
}

/** The chunks of a streamed body, at most `maxBytes` together. The rest of a body that is not read to its end is discarded for a moment, because a caller that is still sending would miss the response. @throws ApiError body_too_large */
export async function* readStreamedBody(request: FastifyRequest, reply: FastifyReply, maxBytes: number): AsyncGenerator<Buffer> {
  const { raw } = request;
  const refusal = () => new ApiError('body_too_large', { message: `The body is too large; at most ${maxBytes.toLocaleString('en-US')} bytes are taken.` });
  let bytes = 0;
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refusal();
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw refusal();
      yield chunk;
    }
  } finally {
    if (!raw.readableEnded && !raw.destroyed) await discard(raw, reply);
  }
}

async function discard(raw: IncomingMessage, reply: FastifyReply): Promise<void> {
  void reply.header('connection', 'close');
  raw.resume();
  await once(raw, 'end', { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => undefined);
}
