import type { OutgoingHttpHeaders } from 'node:http';
import type { AuthenticatedRequest } from '../auth/auth.decorators';
import type { ErrorBody } from '../../common/errors';

/** An answer of the API: its JSON, or its text if it is none. */
export interface RestAnswer {
  headers: OutgoingHttpHeaders;
  status: number;
  body: unknown;
  error: ErrorBody['error'] | undefined;
}

/** Sends a request such as `GET /api/v1/models`; an error is an answer, too. */
export type Rest = (operation: string, body?: object, headers?: Record<string, string>) => Promise<RestAnswer>;

/** Asks the API in this process as the sender of a request. Every rule, scope, limit and price is the API's. */
export function restOf({ server, ip, id, headers: { authorization = '' } }: AuthenticatedRequest): Rest {
  return async (operation, payload, more) => {
    const [method, url = ''] = operation.split(' ', 2) as ['GET' | 'POST' | 'DELETE', string?];
    const headers = { authorization, 'x-request-id': id, ...more };
    const answer = await server.inject({ method, url, remoteAddress: ip, headers, ...(payload && { payload }) });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const body: unknown = isJson ? JSON.parse(answer.payload) : answer.payload;
    const error = answer.statusCode < 400 ? undefined : (body as ErrorBody).error;
    return { headers: answer.headers, status: answer.statusCode, body, error };
  };
}
