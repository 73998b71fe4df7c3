import { applyDecorators, type Type } from '@nestjs/common';
import { Transform, Type as Nested } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';
import type { IdKind } from '../../../common/ids';
import { member, type About } from '../answer.decorators';
import { object, pattern, problemWith, wholeNumber, type FieldKind } from './field-kinds';

/** The name of the one rule a field has; its message is the rest of a sentence that begins with the member's path. */
export const FIELD_RULE = 'field';

const MAX_PAGE = 100;
const CURSOR = 'a cursor from the Link header of an earlier page';

/** The content of a member: a value of its kind, an object of a class, or one of which nothing is looked at. */
type Content = 'value' | 'untouched' | Type;

const contents = new Map<object, Map<string, Content>>();

/**
 * A member of a JSON body: one rule for the validator, in the order presence, type, range, content, and the same for
 * the API document. It is required, unless it is optional or the member `unless` is given.
 */
export function Field(
  kind: FieldKind,
  description?: string,
  { unless, ...about }: About & { unless?: string } = {},
): PropertyDecorator {
  const { optional = unless !== undefined, nullable = false } = about;
  return declared(kind, description, { ...about, optional }, (value, request) => {
    if (value === undefined) return mayBeAbsent(about.optional, unless, request) ? undefined : ' is required';
    if (value === null && nullable) return undefined;
    if (kind.isOfType(value)) return kind.problemOf?.(value as never);
    if (kind.isUnquoted === true && typeof value === 'string') return ` must be ${kind.expected}, not a string`;
    return ` must be ${kind.expected}${nullable ? ', or null' : ''}`;
  });
}

function mayBeAbsent(
  isOptional = false,
  unless: string | undefined,
  request: Readonly<Record<string, unknown>>,
): boolean {
  return isOptional || (unless !== undefined && request[unless] !== undefined);
}

/** A parameter of a query, which may always be absent; `read` makes a value of its text. */
export function QueryField(
  kind: FieldKind,
  description: string,
  { read, ...about }: Pick<About, 'default' | 'example'> & { read?: (value: string) => unknown } = {},
): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      read !== undefined && typeof value === 'string' ? read(value) : value,
    ),
    declared(kind, description, { ...about, optional: true }, (value) => {
      if (value === undefined) return undefined;
      return Array.isArray(value) ? ' must be given only once' : problemWith(value, kind);
    }),
  );
}

/** A member that is an object with the members of a class. */
export function ObjectField(type: Type, description: string, about?: About): PropertyDecorator {
  return applyDecorators(
    Field({ ...object(), schema: { type } }, description, about),
    Nested(() => type),
    ValidateNested(),
    holds(type),
  );
}

/**
 * A member with a content of which nothing is converted, cut or left out on the way to `read`, such as a JSON schema;
 * its rule has to bound it.
 */
export function UntouchedField(
  kind: FieldKind,
  description: string,
  { read, ...about }: About & { read: (value: unknown) => unknown },
): PropertyDecorator {
  return applyDecorators(
    Field(kind, description, about),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => read(reveal(obj[key]))),
    holds('untouched'),
  );
}

/**
 * An untouched member that holds a list of objects of several kinds: `read` makes an instance of the right class of
 * each, and its rules are looked at after those of the list.
 */
export function VariantsField(...field: Parameters<typeof UntouchedField>): PropertyDecorator {
  return applyDecorators(UntouchedField(...field), ValidateNested({ each: true }));
}

/**
 * A value in a function, into which neither Nest nor the transformer looks. Nest deletes every `constructor` and
 * `prototype` of a body, and the transformer takes the first for a class: in a JSON schema they are names like others.
 */
export function hide(value: unknown): () => unknown {
  return () => value;
}

function reveal(hidden: unknown): unknown {
  return typeof hidden === 'function' ? (hidden as () => unknown)() : hidden;
}

/** The maximum number of items on a page; a value above 100 counts as 100. */
export function PageLimit(things: string): PropertyDecorator {
  return QueryField(wholeNumber(1), `Number of ${things} to return; values above ${MAX_PAGE} count as ${MAX_PAGE}.`, {
    read: pageSize,
    default: 20,
  });
}

/** The start of a page: the id of the last item of the previous page. */
export function PageCursor(
  kind: IdKind,
  description = 'Cursor from the Link header of the previous page.',
): PropertyDecorator {
  return QueryField(pattern(new RegExp(`^${kind}_[0-9a-hjkmnp-tv-z]{26}$`), CURSOR), description);
}

function pageSize(text: string): unknown {
  const size = digits(text);
  return typeof size === 'number' ? Math.min(size, MAX_PAGE) : size;
}

/** The digits of a query parameter as a number; anything else is left for the rule to refuse. */
export function digits(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** A member of a request by the path to it, such as `['options', 'response_format']`. */
export interface Member {
  path: string[];
  isUntouched: boolean;
}

/** The members that a request may have, those of nested objects after their own. */
export function membersOf(prototype: object | null): Member[] {
  if (prototype === null) return [];
  const own = [...(contents.get(prototype) ?? [])].flatMap(([name, content]) => [
    { path: [name], isUntouched: content === 'untouched' },
    ...(typeof content === 'string' ? [] : membersOf(content.prototype as object)).map(({ path, isUntouched }) => ({
      path: [name, ...path],
      isUntouched,
    })),
  ]);
  return [...own, ...membersOf(Object.getPrototypeOf(prototype) as object | null)];
}

function declared(
  { schema }: FieldKind,
  description: string | undefined,
  about: About,
  problemOf: (value: unknown, request: Readonly<Record<string, unknown>>) => string | undefined,
): PropertyDecorator {
  const problemAt = (value: unknown, at?: { object: object }) =>
    problemOf(value, (at?.object ?? {}) as Record<string, unknown>);
  return applyDecorators(
    member(schema, description, about),
    ValidateBy({
      name: FIELD_RULE,
      validator: {
        validate: (value, at) => problemAt(value, at) === undefined,
        defaultMessage: (at) => problemAt(at?.value, at) ?? '',
      },
    }),
    holds('value'),
  );
}

function holds(content: Content): PropertyDecorator {
  return (target, name) => {
    contents.set(target, (contents.get(target) ?? new Map<string, Content>()).set(String(name), content));
  };
}
