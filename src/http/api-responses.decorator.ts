import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ERRORS, type ErrorCode } from '../common/errors';

class ErrorDetailDto {
  @ApiProperty({ enum: Object.keys(ERRORS), enumName: 'ErrorCode', description: 'Stable error code for programs.' })
  code!: string;

  @ApiProperty({ description: 'Message for people; the wording may change.' })
  message!: string;

  @ApiPropertyOptional({ description: 'The field at fault.', example: 'models[1]' })
  param?: string;

  @ApiPropertyOptional({ type: Object, description: 'Structured details; the shape depends on the code.' })
  details?: unknown;

  @ApiProperty({ description: 'Also in the X-Request-Id header; include it when you report a problem.', example: 'req_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  request_id!: string;
}

/** Body of every error response. */
export class ErrorDto {
  @ApiProperty({ type: ErrorDetailDto })
  error!: ErrorDetailDto;
}

/** Errors that every authenticated route can return: malformed HTTP, failed authentication, rate limits and server errors. */
const COMMON: readonly ErrorCode[] = ['invalid_request', 'unauthorized', 'timeout', 'expectation_failed', 'headers_too_large', 'rate_limited', 'internal_error', 'unavailable'];
/** Errors of a route whose method can carry a body, even if the route ignores it. */
const OF_BODIES: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

/** Options of a route's successful response. */
export interface SuccessOptions {
  status?: number;
  errors?: readonly ErrorCode[];
  description?: string;
  headers?: Record<string, { description: string; schema: { type: string } }>;
  /** Example of the JSON body. */
  example?: object;
  /** Other representations by media type, each with its own schema. */
  otherContent?: Record<string, { schema: { type: string; description: string }; example: string }>;
}

/** Documents the successful response of a route and its errors, grouped by status; `invalid_json` implies the other errors of bodies. */
export function ApiResponses(good: Type | undefined, options: SuccessOptions = {}): MethodDecorator {
  const { status = 200, errors = [], description = 'Success.', headers } = options;
  const byStatus = Map.groupBy(new Set([...errors, ...(errors.includes('invalid_json') ? OF_BODIES : []), ...COMMON]), (code) => ERRORS[code].status);
  return applyDecorators(
    ApiBearerAuth(),
    ApiExtraModels(ErrorDto, ...(good === undefined ? [] : [good])),
    ApiResponse({ status, description, ...(headers !== undefined && { headers }), ...(good !== undefined && { content: successContent(good, options) }) }),
    ...[...byStatus].map(([errorStatus, codes]) => ApiResponse({ status: errorStatus, ...errorResponse(codes) })),
  );
}

function successContent(good: Type, { example, otherContent }: SuccessOptions) {
  return { 'application/json': { schema: { $ref: getSchemaPath(good) }, ...(example !== undefined && { example }) }, ...otherContent };
}

function errorResponse(codes: readonly ErrorCode[]) {
  const examples = Object.fromEntries(codes.map((code) => [code, {
    value: { error: { code, message: ERRORS[code].message, request_id: 'req_01k9z3t5v7x9b1d3f5h7k9m1n3' } },
  }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) }, examples } },
  };
}
