import type { Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';

/** Named examples of a body; Swagger UI shows the names. */
export type BodyExamples = readonly (readonly [name: string, value: object])[];

/**
 * Documents a body by examples. The first is what Swagger UI fills in and careless people send, so it must do as little
 * as can be; the others are chosen on purpose.
 */
export function ApiBodyExamples(type: Type, examples: BodyExamples, { required = true } = {}): MethodDecorator {
  return ApiBody({ type, required, examples: Object.fromEntries(examples.map(([name, value]) => [name, { value }])) });
}
