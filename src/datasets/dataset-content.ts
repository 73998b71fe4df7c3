import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import { mediaTypeOf } from '../http/json-body-parser';
import { readStreamedBody, STREAMED_TYPES } from '../http/streamed-body';
import type { DatasetContent } from './datasets.service';

/** The body of POST /datasets, as far as it can be seen without reading it. @throws ApiError invalid_json, invalid_request */
export function readContent(request: FastifyRequest, reply: FastifyReply, maxBytes: number): DatasetContent {
  const type = mediaTypeOf(request);
  const format = (['ndjson', 'csv'] as const).find((one) => STREAMED_TYPES[one] === type);
  if (format !== undefined) return { format, chunks: readStreamedBody(request, reply, maxBytes) };
  const { body } = request;
  if (body === undefined) throw new ApiError('invalid_json', { message: 'The body is empty; it must be rows as NDJSON, CSV or JSON.' });
  const [[name, rows] = [], ...others] = Object.entries(body ?? {});
  if (name !== 'rows' || others.length > 0 || !Array.isArray(rows)) throw new ApiError('invalid_request', { message: 'rows must be an array of rows, the only member of the body.', param: 'rows' });
  return { format: 'json', rows };
}
