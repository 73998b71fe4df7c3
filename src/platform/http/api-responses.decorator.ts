import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { ERRORS, type ErrorCode } from '../../common/errors';
import { ErrorDto } from './error.dto';
import { headersOf, type ResponseHeader } from './openapi/response-headers';

/**
 * Errors that every authenticated route can return: malformed HTTP, failed authentication, rate limits and server
 * errors.
 */
const COMMON: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'timeout',
  'expectation_failed',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'unavailable',
];
/** Errors of a route whose method can carry a body, even if the route ignores it. */
const OF_BODIES: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

type TypedErrors = Partial<Record<ErrorCode, Type>>;

/** Options of a route's successful response. */
interface SuccessOptions {
  status?: number;
  errors?: readonly ErrorCode[];
  /** Errors whose details have a schema, by code; no other error of the route may have the same status. */
  typedErrors?: TypedErrors;
  description?: string;
  /** Headers of the successful response, beside the common headers. */
  headers?: readonly ResponseHeader[];
  /** Example of the JSON body. */
  example?: object;
  /** True if it takes no key; then no error is about a key. */
  isPublic?: boolean;
  /** Another form that the JSON body may have. */
  orElse?: Type;
  /** Other representations by media type, each with its own schema. */
  otherContent?: Record<string, { schema: object; example: string }>;
}

/**
 * Documents the successful response of a route and its errors, grouped by status; `invalid_json` implies the other
 * errors of bodies.
 */
export function ApiResponses(good: Type | undefined, options: SuccessOptions = {}): MethodDecorator {
  const { errors = [], typedErrors = {}, isPublic = false } = options;
  const possible = new Set<string>([
    ...errors,
    ...(errors.includes('invalid_json') ? OF_BODIES : []),
    ...COMMON.filter((code) => !isPublic || code !== 'unauthorized'),
  ]);
  // In the order of the catalog, so that routes with the same errors say so in the same words.
  const byStatus = Map.groupBy(
    (Object.keys(ERRORS) as ErrorCode[]).filter((code) => possible.has(code)),
    (code) => ERRORS[code].status,
  );
  return applyDecorators(
    ApiExtraModels(
      ErrorDto,
      ...Object.values(typedErrors),
      ...[good, options.orElse].filter((type) => type !== undefined),
    ),
    ApiResponse(successResponse(good, options)),
    // An empty requirement says that no key is needed; none at all would say nothing.
    ...(isPublic ? [ApiSecurity({})] : []),
    ...[...byStatus].map(([errorStatus, codes]) =>
      ApiResponse({ status: errorStatus, ...errorResponse(codes, typedErrors) }),
    ),
  );
}

function successResponse(
  good: Type | undefined,
  { status = 200, description = 'Success.', headers = [], example, otherContent, orElse }: SuccessOptions,
) {
  const json = good && { 'application/json': { schema: schemaOf(good, orElse), example } };
  const content = (json ?? otherContent) && { ...json, ...otherContent };
  return {
    status,
    description,
    ...(headers.length > 0 && { headers: headersOf(headers) }),
    ...(content !== undefined && { content }),
  };
}

function schemaOf(good: Type, orElse: Type | undefined) {
  const schema = { $ref: getSchemaPath(good) };
  return orElse === undefined ? schema : { oneOf: [schema, { $ref: getSchemaPath(orElse) }] };
}

function errorResponse(codes: readonly ErrorCode[], typedErrors: TypedErrors) {
  const [body = ErrorDto] = codes.flatMap((code) => typedErrors[code] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    content: { 'application/json': { schema: { $ref: getSchemaPath(body) } } },
  };
}
