import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { encodingProblem, mediaTypeOf } from './json-body-parser';

/** The formats of streams. */
export const STREAMED_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
/**
 * The type of a JSON body on a route with `streamedBody` in its config. The parser of `application/json` would hold all
 * of it in memory.
 */
const STREAMED_JSON = 'application/x-streamed-json';

/** How long the rest of a refused body is read and discarded before the response. */
const DISCARD_MS = 500;

/** A slower sender holds a connection of the database, or room in memory, that others need. */
const MIN_BYTES_PER_SECOND = 16_384;
const PATIENCE_MS = 5000;
const TOO_SLOW = `The body arrives too slowly; at least ${MIN_BYTES_PER_SECOND.toLocaleString('en-US')} bytes a second are expected.`;

/**
 * Accepts uncompressed NDJSON, CSV and JSON in UTF-8 as streams on routes with `streamedBody` in their config; no other
 * route takes streams. Their body is the unread request.
 */
export function addStreamedBodyParsers(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.addContentTypeParser([...Object.values(STREAMED_TYPES), STREAMED_JSON], (request, payload, done) => {
    const refusal = takesStreams(request.routeOptions.config)
      ? encodingProblem(request)
      : new ApiError('unsupported_media_type');
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
  return type === STREAMED_JSON
    ? 'json'
    : (['ndjson', 'csv'] as const).find((format) => STREAMED_TYPES[format] === type);
}

/** How a streamed body is read. */
interface StreamedBodyOptions {
  maxBytes: number;
  /** Ends the reading with its reason. */
  stop: AbortSignal;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * The chunks of a streamed body, at most `maxBytes` together, as long as they come at `MIN_BYTES_PER_SECOND`. The rest
 * of a body that is not read to its end is discarded for a moment,
 * because a caller that is still sending would miss the response. @throws ApiError body_too_large, timeout for a slow
 * body, and the reason of `stop` when that aborts
 */
export async function* readStreamedBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { maxBytes, stop, clock }: StreamedBodyOptions,
): AsyncGenerator<Buffer> {
  const { raw } = request;
  const refusal = () =>
    new ApiError('body_too_large', {
      message: `The body is too large; at most ${maxBytes.toLocaleString('en-US')} bytes are taken.`,
    });
  const pace = new Pace(clock);
  let bytes = 0;
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refusal();
    for (let chunk = await pace.next(raw, stop); chunk !== undefined; chunk = await pace.next(raw, stop)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw refusal();
      yield chunk;
    }
  } finally {
    if (!raw.readableEnded && !raw.destroyed) await discard(raw, reply);
  }
}

/**
 * Waits for chunks, but for each `PATIENCE_MS` of waiting they have to bring their bytes. The time in which the service
 * itself is busy does not count.
 */
class Pace {
  private waitedMs = 0;
  private bytes = 0;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** The next chunk; undefined at the end. */
  async next(raw: IncomingMessage, stop: AbortSignal): Promise<Buffer | undefined> {
    for (;;) {
      stop.throwIfAborted();
      const chunk = raw.read() as Buffer | null;
      if (chunk !== null) return this.count(chunk);
      if (raw.readableEnded) return undefined;
      if (raw.destroyed) throw raw.errored ?? Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
      await this.wait(raw, stop);
    }
  }

  private count(chunk: Buffer): Buffer {
    this.bytes += chunk.length;
    if (this.bytes >= (MIN_BYTES_PER_SECOND * PATIENCE_MS) / 1000) [this.waitedMs, this.bytes] = [0, 0];
    return chunk;
  }

  private async wait(raw: IncomingMessage, stop: AbortSignal): Promise<void> {
    const [slow, over] = [new AbortController(), new AbortController()];
    const begunMs = this.clock.monotonicMs();
    const timer = setTimeout(
      () => slow.abort(new ApiError('timeout', { message: TOO_SLOW })),
      PATIENCE_MS - this.waitedMs,
    );
    const reasons = AbortSignal.any([slow.signal, stop]);
    const signal = AbortSignal.any([reasons, over.signal]);
    try {
      await Promise.race([once(raw, 'readable', { signal }), once(raw, 'end', { signal })]);
    } catch (error) {
      throw reasons.aborted ? reasons.reason : error;
    } finally {
      // Removes the listener of the other event.
      over.abort();
      clearTimeout(timer);
      this.waitedMs += this.clock.monotonicMs() - begunMs;
    }
  }
}

async function discard(raw: IncomingMessage, reply: FastifyReply): Promise<void> {
  void reply.header('connection', 'close');
  raw.resume();
  await once(raw, 'end', { signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => undefined);
}
