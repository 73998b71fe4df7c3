import type { Type } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { ApiExtends, ApiOneOf, Schema } from '../../platform/http/answer.decorators';
import { choice, decimal, flag, notZero, pattern } from '../../platform/http/validation/field-kinds';
import { Field } from '../../platform/http/validation/field.decorators';
import { CHECK_LIMITS, COMMON_DEFAULTS, type CheckField } from './check-type';
import { TYPE_NAMES, TYPES, typeOf, type Check } from './types';

@Schema('The common members of all checks.')
class CheckFieldsDto {
  @Field(
    pattern(/^[a-z0-9_-]{1,40}$/, '1 to 40 of the characters a to z, 0 to 9, _ and -'),
    'Unique among the checks; by default the type and the position from 1, such as `contains-1`.',
    { optional: true, example: 'mentions-paris' },
  )
  name?: string;

  @Field(notZero(decimal(0, CHECK_LIMITS.MAX_WEIGHT)), 'How much it counts in the score of a result; above 0.', {
    optional: true,
    default: COMMON_DEFAULTS.weight,
  })
  weight?: number;

  @Field(flag(), 'Turns pass into fail and fail into pass.', { optional: true, default: COMMON_DEFAULTS.not })
  not?: boolean;
}

/** The class of each type of check. */
export const CHECK_CLASSES = Object.fromEntries(TYPE_NAMES.map((name) => [name, classOf(name)])) as {
  readonly [T in keyof typeof TYPES]: Type;
};

/** Any check. */
@ApiOneOf({
  name: 'Check',
  description: 'What a good answer is; told apart by `type`.',
  by: 'type',
  members: CHECK_CLASSES,
})
export class CheckDto {}

function classOf(name: Check['type']): Type {
  class OneCheckDto extends CheckFieldsDto {}
  const { schema, fields } = typeOf({ type: name });
  Field(choice([name]), 'What kind of check it is.')(OneCheckDto.prototype, 'type');
  for (const [member, { kind, optional, description, example, ...field }] of Object.entries<CheckField>(fields)) {
    Field(kind, description, {
      optional: optional ?? field.default !== undefined,
      default: field.default,
      example,
    })(OneCheckDto.prototype, member);
  }
  ApiExtends(CheckFieldsDto)(OneCheckDto);
  ApiSchema(schema)(OneCheckDto);
  return OneCheckDto;
}
