import type { Type } from '@nestjs/common';
import { unknownMember } from '../../platform/http/validation/field-errors';
import { listOf, object, formatNumber, type FieldKind } from '../../platform/http/validation/field-kinds';
import { Field, VariantsField } from '../../platform/http/validation/field.decorators';
import { CHECK_LIMITS, COMMON_DEFAULTS, type CheckField } from './check-type';
import { CHECK_CLASSES, CheckDto } from './check.dto';
import { isType, storedCheck, TYPE_NAMES, typeOf, type Check, type GivenCheck } from './types';

/** More members than any check has. */
const MAX_MEMBERS = 20;

/** The class of a check of unknown type: only its type is validated. */
class UnknownCheck {
  @Field({ schema: {}, expected: `one of ${TYPE_NAMES.join(', ')}`, isOfType: () => true, problemOf: typeProblem })
  type?: unknown;
}

/** Checks that only some requests take: the class of any check there, and the classes of the further types. */
export interface FurtherChecks {
  any: Type;
  classes: Readonly<Record<string, Type>>;
}

/** A list of checks. */
export function ChecksField(
  description: string,
  { more = { any: CheckDto, classes: {} }, ...about }: { optional?: boolean; more?: FurtherChecks } = {},
): PropertyDecorator {
  return VariantsField(checkList(more.any), description, {
    ...about,
    read: (value) => instancesOf(value, more.classes),
  });
}

/** Validated checks of a request, with names and defaults filled in. */
export function toChecks(given: readonly GivenCheck[]): Check[] {
  return given.map((one, position) => {
    const {
      type,
      name = defaultName(one.type, position),
      weight = COMMON_DEFAULTS.weight,
      not = COMMON_DEFAULTS.not,
      ...members
    } = one;
    // A class gives its instances every member, undefined or not.
    const own = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
    return storedCheck({ name, type, weight, not, ...defaultsOf(type), ...own });
  });
}

function defaultsOf(type: Check['type']): object {
  const fields = Object.entries<CheckField>(typeOf({ type }).fields);
  return Object.fromEntries(
    fields.flatMap(([name, field]) =>
      field.default === undefined || field.staysAbsent === true ? [] : [[name, field.default]],
    ),
  );
}

/** An object of the class of its type for each element, which the validator then looks at. */
function instancesOf(value: unknown, further: FurtherChecks['classes']): unknown {
  return Array.isArray(value)
    ? value.slice(0, CHECK_LIMITS.MAX_CHECKS + 1).map((element, position) => instanceOf(element, position, further))
    : value;
}

function instanceOf(element: unknown, position: number, further: FurtherChecks['classes']): unknown {
  if (!isObject(element)) return element;
  const { type } = element;
  const CheckClass = isType(type)
    ? CHECK_CLASSES[type]
    : typeof type === 'string' && Object.hasOwn(further, type)
      ? further[type]
      : undefined;
  if (CheckClass === undefined) return Object.assign(new UnknownCheck(), { type });
  const members = Object.entries(element).slice(0, MAX_MEMBERS);
  // The validator finds its rules by a name that every object has.
  const inherited = members.find(([name]) => name in Object.prototype);
  if (inherited !== undefined) throw unknownMember([`checks[${position}]`, inherited[0]]);
  return Object.assign(new CheckClass() as object, withValues(type, Object.fromEntries(members)));
}

/** Of `contains`, one text as `value` is the only element of `values`, because `equals` takes it so. */
function withValues(type: unknown, { value, ...members }: Record<string, unknown>): object {
  const isOne = type === 'contains' && value !== undefined && members['values'] === undefined;
  return { ...members, ...(isOne ? { values: [value] } : value !== undefined && { value }) };
}

function checkList(any: Type): FieldKind {
  const list = listOf(object(), { of: 'checks', min: 1, max: CHECK_LIMITS.MAX_CHECKS });
  return {
    ...list,
    schema: { type: [any], minItems: 1, maxItems: CHECK_LIMITS.MAX_CHECKS },
    problemOf: (checks: Record<string, unknown>[]) =>
      list.problemOf?.(checks as never) ?? sizeProblem(checks) ?? repeatedName(checks) ?? problemTogether(checks),
  };
}

function sizeProblem(checks: object[]): string | undefined {
  const isTooLong = JSON.stringify(checks).length > CHECK_LIMITS.MAX_CHARACTERS;
  return isTooLong
    ? ` must not be longer than ${formatNumber(CHECK_LIMITS.MAX_CHARACTERS)} characters as JSON, all together`
    : undefined;
}

function repeatedName(checks: readonly Record<string, unknown>[]): string | undefined {
  // A type that is no text may throw when it is made one; its own field refuses it.
  const names: unknown[] = checks.map(({ name, type }, position) =>
    name === undefined ? defaultName(isType(type) ? type : 'unknown', position) : name,
  );
  const second = names.findIndex((name, index) => names.indexOf(name) < index);
  return second < 0 ? undefined : `[${second}].name must be unique; [${names.indexOf(names[second])}] has the same`;
}

function problemTogether(checks: readonly Record<string, unknown>[]): string | undefined {
  for (const [position, check] of checks.entries()) {
    const problem = isType(check['type']) ? typeOf({ type: check['type'] }).problemOf?.(check) : undefined;
    if (problem !== undefined) return `[${position}]${problem}`;
  }
  return undefined;
}

function typeProblem(type: unknown): string {
  if (type === 'rubric')
    return ' must not be rubric here: one verdict of a judge on one answer decides nothing; POST /experiments takes rubrics, for the rows of a data set';
  return ` must be one of ${TYPE_NAMES.join(', ')}`;
}

/** How a check without a name is called: by its type and its position, from 1. */
export function defaultName(type: string, position: number): string {
  return `${type}-${position + 1}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
