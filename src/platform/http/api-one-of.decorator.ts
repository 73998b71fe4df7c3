import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';

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
