import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Exclude, Transform, Type as Nested } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';
import { object, problemWith, type FieldKind } from './field-kinds';

/** The name of the one rule a field has; its message is the rest of a sentence that begins with the member's path. */
export const FIELD_RULE = 'field';

/** Other options of a member, beside its kind. */
interface FieldOptions {
  /** True if it may be absent. */
  optional?: boolean;
  /** True if it may be null. */
  nullable?: boolean;
  description?: string;
  default?: unknown;
  example?: unknown;
}

/**
 * The placeholder for a member whose values the transformer must skip: it would take a member called `constructor` for
 * a class.
 */
@Exclude()
class Untouched {}

const untouched = new Map<object, string[]>();
const members = new Map<object, Map<string, Type | undefined>>();

/**
 * A member of a JSON body: one rule for the validator, in the order presence, type, range, content, and the same for
 * the API document.
 */
export function Field(kind: FieldKind, options: FieldOptions = {}): PropertyDecorator {
  const { optional = false, nullable = false } = options;
  return declared(kind, options, (value) => {
    if (value === undefined) return optional ? undefined : ' is required';
    if (value === null && nullable) return undefined;
    if (kind.isOfType(value)) return kind.problemOf?.(value as never);
    if (kind.isUnquoted === true && typeof value === 'string') return ` must be ${kind.expected}, not a string`;
    return ` must be ${kind.expected}${nullable ? ', or null' : ''}`;
  });
}

/** A parameter of a query, which may always be absent; `read` makes a value of its text. */
export function QueryField(
  kind: FieldKind,
  { read, ...options }: Omit<FieldOptions, 'optional' | 'nullable'> & { read?: (value: string) => unknown } = {},
): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      read !== undefined && typeof value === 'string' ? read(value) : value,
    ),
    declared(kind, { ...options, optional: true }, (value) => {
      if (value === undefined) return undefined;
      return Array.isArray(value) ? ' must be given only once' : problemWith(value, kind);
    }),
  );
}

/** A member that is an object with the members of a class. */
export function ObjectField(type: Type, options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Field({ ...object(), schema: { type } }, options),
    Nested(() => type),
    ValidateNested(),
    (target: object, name: string | symbol) => void members.get(target)?.set(String(name), type),
  );
}

/**
 * A member with a content of which nothing is converted, cut or left out on the way to `read`, such as a JSON schema;
 * its rule has to bound it.
 */
export function UntouchedField(
  kind: FieldKind,
  { read, ...options }: FieldOptions & { read: (value: unknown) => unknown },
): PropertyDecorator {
  return applyDecorators(
    Field(kind, options),
    Nested(() => Untouched),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => read(reveal(obj[key]))),
    (target: object, name: string | symbol) =>
      void untouched.set(target, [...(untouched.get(target) ?? []), String(name)]),
  );
}

/**
 * An untouched member that holds a list of objects of several kinds: `read` makes an instance of the right class of
 * each, and its rules are looked at after those of the list.
 */
export function VariantsField(
  kind: FieldKind,
  options: FieldOptions & { read: (value: unknown) => unknown },
): PropertyDecorator {
  return applyDecorators(UntouchedField(kind, options), ValidateNested({ each: true }));
}

/** The paths to the untouched members of a request, such as `['options', 'response_format']`. */
export function untouchedPathsOf(prototype: object | null): string[][] {
  if (prototype === null) return [];
  const nested = [...(members.get(prototype) ?? [])].flatMap(([name, type]) =>
    type === undefined ? [] : untouchedPathsOf(type.prototype as object).map((path) => [name, ...path]),
  );
  return [
    ...(untouched.get(prototype) ?? []).map((name) => [name]),
    ...nested,
    ...untouchedPathsOf(Object.getPrototypeOf(prototype) as object | null),
  ];
}

/**
 * A value in a container into which Nest does not look when it deletes every `constructor` and `prototype` of a body:
 * in a JSON schema they are names like others.
 */
export function hide(value: unknown): unknown {
  return new Map([['value', value]]);
}

function reveal(hidden: unknown): unknown {
  return hidden instanceof Map ? hidden.get('value') : hidden;
}

/** The digits of a query parameter as a number; anything else is left for the rule to refuse. */
export function digits(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/**
 * The members that a request may have, those of nested objects after their own, such as `options` and `temperature
 * inside options`.
 */
export function membersOf(prototype: object | null): string[] {
  if (prototype === null) return [];
  const own = [...(members.get(prototype) ?? [])].flatMap(([name, type]) => [
    name,
    ...(type === undefined ? [] : membersOf(type.prototype as object).map((inner) => `${inner} inside ${name}`)),
  ]);
  return [...own, ...membersOf(Object.getPrototypeOf(prototype) as object | null)];
}

function declared(
  { schema }: FieldKind,
  { optional = false, nullable = false, ...about }: FieldOptions,
  problemOf: (value: unknown) => string | undefined,
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ ...schema, ...(nullable && { nullable }), ...about, required: !optional } as ApiPropertyOptions),
    ValidateBy({
      name: FIELD_RULE,
      validator: {
        validate: (value) => problemOf(value) === undefined,
        defaultMessage: (at) => problemOf(at?.value) ?? '',
      },
    }),
    (target: object, name: string | symbol) =>
      void members.set(
        target,
        (members.get(target) ?? new Map<string, Type | undefined>()).set(String(name), undefined),
      ),
  );
}
