import { ERRORS, type ErrorBody } from '../../src/common/errors';
import type { RawAnswer } from '../support/raw';
import type { ApiDocument, Operation } from './document';
import type { FuzzRequest } from './requests';

const ERROR = { $ref: '#/components/schemas/ErrorResponse' };
const JSON_TYPE = 'application/json; charset=utf-8';
/** No answer to a bad request is larger. */
export const MAX_ERROR_BYTES = 20 * 1024;
/** Answers that a request may get before its address is read. */
const UNREADABLE = [400, 417, 431];

/** An answer with what it is an answer of. */
export interface Judged {
  /** Method and documented path; `nothing there` or `wrong method` for what no operation serves. */
  route: string;
  /** How the response violates the document; undefined when it does not. */
  problem: string | undefined;
}

/** Checks a response against the API document. */
export function judge(request: FuzzRequest, answer: RawAnswer | undefined, document: ApiDocument): Judged {
  const there = document.at(pathOf(request.target));
  const operation = there.find(({ method }) => method === (request.method === 'HEAD' ? 'GET' : request.method));
  const route =
    operation !== undefined
      ? `${operation.method} ${operation.path}`
      : there.length > 0
        ? 'wrong method'
        : 'nothing there';
  if (answer === undefined) return { route, problem: 'the connection ended without an answer' };
  if (answer.status >= 500) return { route, problem: `${answer.status}: ${answer.body}` };
  const problem =
    bodyProblem(request, operation, answer, document) ??
    (operation === undefined ? refusalProblem(request, there, answer) : statusProblem(operation, answer));
  return { route, problem };
}

/** The path of a target, which may also be a whole address (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '').split('?')[0] ?? '';
}

function statusProblem({ responses, path }: Operation, { status }: RawAnswer): string | undefined {
  // An address may match a documented one and still not be decodable.
  const isUndecodable = status === 404 && path.includes('{');
  return String(status) in responses || isUndecodable ? undefined : `the document does not name ${status}`;
}

/** The problem with the answer to a request that no operation serves. */
function refusalProblem(
  { method }: FuzzRequest,
  there: Operation[],
  { status, headers }: RawAnswer,
): string | undefined {
  if (UNREADABLE.includes(status)) return undefined;
  if (status === 405) return (headers['allow'] ?? '') === '' ? 'no Allow header' : undefined;
  const isNowhere = method !== 'CONNECT' && (there.length === 0 || there.some(({ path }) => path.includes('{')));
  return status === 404 && isNowhere ? undefined : `${status} where no operation is`;
}

function bodyProblem(
  { method }: FuzzRequest,
  operation: Operation | undefined,
  answer: RawAnswer,
  document: ApiDocument,
): string | undefined {
  if (method === 'HEAD' || [204, 304].includes(answer.status))
    return answer.body === '' ? undefined : `a body where none belongs: ${answer.body}`;
  return answer.status >= 400 ? errorProblem(answer, document) : goodProblem(operation, answer, document);
}

function errorProblem({ status, headers, body }: RawAnswer, document: ApiDocument): string | undefined {
  if (headers['content-type'] !== JSON_TYPE) return `an error of type ${headers['content-type']}`;
  if (body.length >= MAX_ERROR_BYTES) return `an error of ${body.length} bytes`;
  const value = parsed(body);
  const problem = document.problemWith(value, ERROR);
  if (problem !== undefined) return `${problem}: ${body}`;
  const { code, request_id: requestId } = (value as ErrorBody).error;
  if (requestId !== headers['x-request-id']) return 'another request id in the header than in the body';
  return ERRORS[code].status === status ? undefined : `${status} with code ${code}`;
}

function goodProblem(
  operation: Operation | undefined,
  { status, headers, body }: RawAnswer,
  document: ApiDocument,
): string | undefined {
  const { 'content-type': type = '' } = headers;
  const schema = operation?.responses[status]?.content?.[type.replace(/;.*/, '')]?.schema;
  if (schema === undefined) return `${status} of type ${type}, which the document does not name`;
  if (type === JSON_TYPE) return document.problemWith(parsed(body), schema);
  return body === '' || type.startsWith('application/json') ? `${type} with the body ${body}` : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
