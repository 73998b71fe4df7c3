import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiProperty,
  ApiSchema,
  getSchemaPath,
  type ApiPropertyOptions,
} from '@nestjs/swagger';

/** The rest that the API document says of a member, beside its type and its sentence. */
export type About = Pick<
  Extract<ApiPropertyOptions, { items?: unknown }>,
  'default' | 'example' | 'format' | 'isArray' | 'maxItems' | 'minItems' | 'nullable'
> & {
  /** True if it may be absent. */
  optional?: boolean;
};

/** Documents the class of a request or an answer; its name there is that of the class without `Dto`, if none is given. */
export function Schema(description: string, name?: string): ClassDecorator {
  return (target) => {
    ApiSchema({ name: name ?? target.name.replace(/Dto$/, ''), description })(target);
  };
}

/**
 * Documents a class as all of its base class and its own members, instead of repeating those of the base class;
 * `finishDocument` does it.
 */
export function ApiExtends(base: Type): ClassDecorator {
  return applyDecorators(ApiExtraModels(base), ApiExtension('x-extends', getSchemaPath(base)));
}

/**
 * Documents a class as one of others, which differ by the value of a member: `members` maps each value to its class.
 */
export function ApiOneOf({
  name,
  description,
  by,
  members,
}: {
  name: string;
  description: string;
  by: string;
  members: Readonly<Record<string, Type>>;
}): ClassDecorator {
  const mapping = Object.fromEntries(Object.entries(members).map(([value, member]) => [value, getSchemaPath(member)]));
  // This replaces the schema that the library has derived; the class itself has neither type nor properties.
  const schema = {
    name,
    description,
    type: undefined,
    properties: undefined,
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: by, mapping },
  };
  return applyDecorators(ApiExtraModels(...Object.values(members)), ApiSchema(schema));
}

/** A member with the properties of another class. */
export function Part(type: Type, description: string, about?: About): PropertyDecorator {
  return member({ type }, description, about);
}

/** A list of elements with the properties of another class. */
export function Parts(type: Type, description: string, about?: About): PropertyDecorator {
  return member({ type: [type] }, description, about);
}

export function Text(description: string, about?: About): PropertyDecorator {
  return member({ type: 'string' }, description, about);
}

export function Texts(description: string, about?: About): PropertyDecorator {
  return member({ type: [String] }, description, about);
}

export function Flag(description: string, about?: About): PropertyDecorator {
  return member({ type: 'boolean' }, description, about);
}

export function Integer(description: string, about?: About): PropertyDecorator {
  return member({ type: 'integer' }, description, about);
}

export function Decimal(description: string, about?: About): PropertyDecorator {
  return member({ type: 'number' }, description, about);
}

export function DecimalOrNull(description: string, example: number | null): PropertyDecorator {
  return Decimal(description, { nullable: true, example });
}

export function UsdAmount(description = 'USD, exact.', about?: About): PropertyDecorator {
  return member({ type: 'number' }, description, about);
}

/** An instant in UTC. */
export function DateTime(description: string, about?: About): PropertyDecorator {
  return member({ type: 'string', format: 'date-time' }, description, about);
}

/** One of a few words, or several; `enumName` is their name in the document. */
export function Choice(
  words: readonly (string | null)[],
  description: string,
  about?: About & { enumName?: string },
): PropertyDecorator {
  return member({ enum: [...words] }, description, about);
}

/** An object of which the document says nothing more. */
export function Facts(description: string, about?: About): PropertyDecorator {
  return member({ type: 'object', additionalProperties: true }, description, about);
}

/** The two ends of an interval; null where there is none. */
export function ConfidenceInterval(description: string, example?: readonly number[] | null): PropertyDecorator {
  return member({ type: [Number] }, description, { nullable: true, minItems: 2, maxItems: 2, example });
}

export function ModelId(): PropertyDecorator {
  return Text('Model ID.', { example: 'sim-swift' });
}

/** The number of items that a page of a list has at most. */
export function LimitApplied(): PropertyDecorator {
  return Integer('The limit applied.', { example: 20 });
}

/** A member of that type; for answers, the functions above have the types. */
export function member(
  type: ApiPropertyOptions,
  description?: string,
  { optional = false, nullable = false, example, ...schema }: About = {},
): PropertyDecorator {
  return ApiProperty({
    ...type,
    ...schema,
    ...(nullable && { nullable }),
    description,
    ...(example !== undefined && { example }),
    required: !optional,
  } as ApiPropertyOptions);
}
