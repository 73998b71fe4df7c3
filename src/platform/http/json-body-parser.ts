import { isUtf8 } from 'node:buffer';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors';
import { keepSource } from './validation/exact-amounts';

const CHARSET = /;\s*charset\s*=\s*("[^"]*"|[^;\s]*)/gi;
const UTF_8 = /^("?)utf-?8\1$/i;

/**
 * Accepts uncompressed JSON bodies in UTF-8 and explains what is expected to clients that send anything else.
 * A route with `rawBody` in its config receives the text of its body, because webhook signatures cover that text.
 */
export function addJsonBodyParser(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  server.removeContentTypeParser('text/plain');
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const refusal = refusalOf(request, body);
    if (refusal !== undefined) return done(refusal);
    // A byte order mark stays in the text; the JSON parser skips it.
    const text = body.toString('utf8');
    if ((request.routeOptions.config as { rawBody?: boolean }).rawBody === true) done(null, text);
    // The route decides if a body is required.
    else if (text === '') done(null, undefined);
    else
      void parse(request, text, (error: Error | null, parsed?: unknown) => {
        if (error === null) keepSource(parsed, text);
        done(error === null ? null : notJson(text, error), parsed);
      });
  });
}

function refusalOf(request: FastifyRequest, body: Buffer): ApiError | undefined {
  return (
    encodingProblem(request) ??
    (isUtf8(body)
      ? undefined
      : new ApiError('invalid_json', { message: 'The body is not UTF-8; send JSON text encoded as UTF-8.' }))
  );
}

/** The problem with the headers of a body that is compressed or not in UTF-8. */
export function encodingProblem(request: FastifyRequest): ApiError | undefined {
  const { headers } = request;
  const type = mediaTypeOf(request);
  const what = type === 'application/json' ? 'JSON' : 'text';
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    return new ApiError('unsupported_media_type', {
      message: `Compressed bodies are not taken; send the ${what} as it is, without a Content-Encoding header.`,
      param: 'Content-Encoding',
    });
  }
  if ([...(headers['content-type'] ?? '').matchAll(CHARSET)].every(([, charset]) => UTF_8.test(charset ?? '')))
    return undefined;
  return new ApiError('unsupported_media_type', {
    message: `The body must be UTF-8; send Content-Type: ${type} without another charset.`,
    param: 'Content-Type',
  });
}

/** The media type of a body, in lower case and without parameters. */
export function mediaTypeOf({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** With the place of the mistake, which only the engine's own message has. */
function notJson(text: string, error: Error): Error {
  try {
    JSON.parse(text);
    return error;
  } catch (cause) {
    const { message } = cause as SyntaxError;
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
    const where =
      line === undefined
        ? /^Unexpected (token '.'|end)/u.exec(message)?.[0].replace('token', 'character').toLowerCase()
        : `line ${line}, column ${column}`;
    return where === undefined
      ? error
      : new ApiError('invalid_json', { message: `The body is not valid JSON (${where}).`, cause });
  }
}
