import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ERRORS, type ErrorCode } from '../common/errors';

class ErrorDetailDto {
  @ApiProperty({ enum: Object.keys(ERRORS), enumName: 'ErrorCode', description: 'Stable code, for programs.' })
  code!: string;

  @ApiProperty({ description: 'A sentence for people; its wording may change.' })
  message!: string;

  @ApiPropertyOptional({ description: 'The offending field.', example: 'models[1]' })
  param?: string;

  @ApiPropertyOptional({ type: Object, description: 'Structured facts; their shape depends on the code.' })
  details?: unknown;

  @ApiProperty({ description: 'Also in the X-Request-Id header; give it when you report a problem.', example: 'req_01k9z3t5v7x9b1d3f5h7k9m1n3' })
  request_id!: string;
}

/** The one error body. */
export class ErrorDto {
  @ApiProperty({ type: ErrorDetailDto })
  error!: ErrorDetailDto;
}

/** Errors that every authenticated route can answer: what is no proper HTTP, what is closed, what is our fault. */
const COMMON: readonly ErrorCode[] = ['invalid_request', 'unauthorized', 'timeout', 'expectation_failed', 'headers_too_large', 'rate_limited', 'internal_error', 'unavailable'];
/** Errors of a route whose method brings a body, wanted or not. */
const OF_BODIES: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

/** What a route's good answer may say beyond its type. */
export interface GoodAnswer {
  status?: number;
  errors?: readonly ErrorCode[];
  description?: string;
  headers?: Record<string, { description: string; schema: { type: string } }>;
  /** An example of the JSON. */
  example?: object;
  /** What else than JSON it can be, by media type; each has a schema of its own. */
  otherContent?: Record<string, { schema: { type: string; description: string }; example: string }>;
}

/** Documents a route's good answer and each error it can give, grouped by status; a route that can answer `invalid_json` can refuse a body for other reasons too. */
export function ApiResponses(good: Type | undefined, options: GoodAnswer = {}): MethodDecorator {
  const { status = 200, errors = [], description = 'Done.', headers } = options;
  const byStatus = Map.groupBy(new Set([...errors, ...(errors.includes('invalid_json') ? OF_BODIES : []), ...COMMON]), (code) => ERRORS[code].status);
  return applyDecorators(
    ApiBearerAuth(),
    ApiExtraModels(ErrorDto, ...(good === undefined ? [] : [good])),
    ApiResponse({ status, description, ...(headers !== undefined && { headers }), ...(good !== undefined && { content: goodContent(good, options) }) }),
    ...[...byStatus].map(([errorStatus, codes]) => ApiResponse({ status: errorStatus, ...errorAnswer(codes) })),
  );
}

function goodContent(good: Type, { example, otherContent }: GoodAnswer) {
  return { 'application/json': { schema: { $ref: getSchemaPath(good) }, ...(example !== undefined && { example }) }, ...otherContent };
}

function errorAnswer(codes: readonly ErrorCode[]) {
  const examples = Object.fromEntries(codes.map((code) => [code, {
    value: { error: { code, message: ERRORS[code].message, request_id: 'req_01k9z3t5v7x9b1d3f5h7k9m1n3' } },
  }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorDto) }, examples } },
  };
}
