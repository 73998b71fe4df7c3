import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors';
import { readStreamedBody, STREAMED_TYPES } from '../http/streamed-body';
import type { DatasetContent } from './datasets.service';

/** The body of POST /datasets, as far as it can be seen without reading it. @throws ApiError invalid_json, invalid_request */
export function readContent(request: FastifyRequest, reply: FastifyReply, maxBytes: number): DatasetContent {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const format = (['ndjson', 'csv'] as const).find((one) => STREAMED_TYPES[one] === type);
  if (format !== undefined) return { format, chunks: readStreamedBody(request, reply, maxBytes) };
  const { body } = request;
  if (body === undefined) throw new ApiError('invalid_json', { message: 'The body is empty; it must be rows as NDJSON, CSV or JSON.' });
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const [name, rows] = members[0] ?? [];
  if (members.length !== 1 || name !== 'rows' || !Array.isArray(rows)) throw new ApiError('invalid_request', { message: 'The body must be a JSON object with one member, the array rows.', param: 'rows' });
  return { format: 'json', rows };
}
