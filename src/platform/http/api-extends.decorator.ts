import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';

/**
 * Documents a class as all of its base class and its own members, instead of repeating those of the base class;
 * `finishDocument` does it.
 */
export function ApiExtends(base: Type): ClassDecorator {
  return applyDecorators(ApiExtraModels(base), ApiExtension('x-extends', getSchemaPath(base)));
}
