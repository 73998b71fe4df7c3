import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import { encodingProblem, mediaTypeOf } from './json-body-parser';

/** The formats of streams. */
export const STREAMED_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
/** The type of a JSON body on a route with `streamedBody` in its config. The parser of `application/json` would hold all of it in memory. */
const STREAMED_JSON = 'application/x-streamed-json';

/** How long the rest of a refused body is read and discarded before the response. */
const DISCARD_MS = 500;

/** Accepts uncompressed NDJSON, CSV and JSON in UTF-8 as streams on routes with `streamedBody` in their config; no other route takes streams. Their body is the unread request. */
export function addStreamedBodyParsers(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.addContentTypeParser([...Object.values(STREAMED_TYPES), STREAMED_JSON], (request, payload, done) => {
    const refusal = takesStreams(request.routeOptions.config) ? encodingProblem(request) : new ApiError('unsupported_media_type');
    done(refusal ?? null, payload);
  });
  server.addHook('onRoute', (route) => {
    if (!takesStreams(route.config)) return;
    route.onRequest = (request, _reply, done) => {
      const isJson = mediaTypeOf(request) === 'application/json';
      const refusal = isJson ? encodingProblem(request) : undefined;
      if (isJson) request.headers['content-type'] = STREAMED_JSON;
      done(refusal);
    };
  });
}

function takesStreams(config: object | undefined): boolean {
  return (config as { streamedBody?: boolean } | undefined)?.streamedBody === true;
}

/** The format of a streamed body; undefined without a body. */
export function streamedFormat(request: FastifyRequest): 'ndjson' | 'csv' | 'json' | undefined {
  const type = mediaTypeOf(request);
  return type === STREAMED_JSON ? 'json' : (['ndjson', 'csv'] as const).find((format) => STREAMED_TYPES[format] === type);
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
