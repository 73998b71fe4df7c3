import { ERRORS, type ErrorCode } from '../../src/common/errors';
import type { RawAnswer } from '../support/raw';
import type { ApiDocument, Operation } from './document';
import type { FuzzRequest } from './requests';

const ERROR = { $ref: '#/components/schemas/ErrorDto' };
const JSON_TYPE = 'application/json; charset=utf-8';
/** What may meet a request before its address is looked at. */
const UNREADABLE = [400, 417, 431];

/** An answer with what it is an answer of. */
export interface Judged {
  /** Method and documented path; `nothing there` or `wrong method` for what no operation serves. */
  route: string;
  /** What breaks the document's promise; undefined when nothing does. */
  problem: string | undefined;
}

/** Holds an answer against the API document. */
export function judge(request: FuzzRequest, answer: RawAnswer | undefined, document: ApiDocument): Judged {
  const there = document.at(pathOf(request.target));
  const operation = there.find(({ method }) => method === (request.method === 'HEAD' ? 'GET' : request.method));
  const route = operation !== undefined ? `${operation.method} ${operation.path}` : there.length > 0 ? 'wrong method' : 'nothing there';
  if (answer === undefined) return { route, problem: 'the connection ended without an answer' };
  if (answer.status >= 500) return { route, problem: `${answer.status}: ${answer.body}` };
  const bodyProblem = request.method === 'HEAD' || answer.status === 304 || answer.status === 204 ? emptyProblem(answer) : answer.status >= 400 ? errorProblem(answer, document) : goodProblem(operation, answer, document);
  return { route, problem: bodyProblem ?? statusProblem(operation, there, answer, request) };
}

/** The path of a target, which may also be a whole address (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '').split('?')[0] ?? '';
}

function statusProblem(operation: Operation | undefined, there: Operation[], { status, headers }: RawAnswer, { method }: FuzzRequest): string | undefined {
  if (operation !== undefined) {
    // An address may match a documented one and still not be decodable.
    const isUndecodable = status === 404 && operation.path.includes('{');
    return String(status) in operation.responses || isUndecodable ? undefined : `the document does not name ${status}`;
  }
  if (UNREADABLE.includes(status)) return undefined;
  if (there.length === 0 && method !== 'CONNECT') return status === 404 || status === 405 ? undefined : `${status} where nothing is`;
  if (status === 405) return (headers['allow'] ?? '') === '' ? 'no Allow header' : undefined;
  return status === 404 && there.some(({ path }) => path.includes('{')) ? undefined : `${status} for a method that is not documented`;
}

function emptyProblem({ body }: RawAnswer): string | undefined {
  return body === '' ? undefined : `a body where none belongs: ${body}`;
}

function errorProblem({ status, headers, body }: RawAnswer, document: ApiDocument): string | undefined {
  if (headers['content-type'] !== JSON_TYPE) return `an error of type ${headers['content-type']}`;
  const value = parsed(body) as { error?: { code?: ErrorCode; request_id?: string } } | undefined;
  const problem = document.problemWith(value, ERROR);
  if (problem !== undefined) return `${problem}: ${body}`;
  if (value?.error?.request_id !== headers['x-request-id']) return 'another request id in the header than in the body';
  return ERRORS[value?.error?.code ?? 'internal_error'].status === status ? undefined : `${status} with code ${value?.error?.code}`;
}

function goodProblem(operation: Operation | undefined, { status, headers, body }: RawAnswer, document: ApiDocument): string | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const promised = operation?.responses[status]?.content?.[type]?.schema;
  if (promised === undefined) return `${status} of type ${type}, which the document does not name`;
  if (type !== 'application/json') return body === '' ? 'an empty body' : undefined;
  return headers['content-type'] === JSON_TYPE ? document.problemWith(parsed(body), promised) : `JSON of type ${headers['content-type']}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
