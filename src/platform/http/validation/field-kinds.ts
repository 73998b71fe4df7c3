import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { IdKind } from '../../../common/ids';
import { MONTH_PATTERN } from '../../../common/month';
import { isStorable } from '../../../common/postgres-text';
import { dateTimeProblem } from './date-time';

/** The longest id of a model. */
export const MAX_MODEL_ID_CHARACTERS = 100;
/** The same with the longest effort behind an @. */
export const MAX_MODEL_ARM_CHARACTERS = MAX_MODEL_ID_CHARACTERS + '@minimal'.length;

/** The kind of a request's member: its schema in the API document, and the words of its errors. */
export interface FieldKind {
  schema: ApiPropertyOptions;
  /** The expected type, such as `a string`, for errors about another type or a number out of range. */
  expected: string;
  isOfType: (value: unknown) => boolean;
  /**
   * Other problems of a value of the type, range before content: the rest of a sentence that begins with the member's
   * path. An element's begins with its index, such as `[2] must…`.
   */
  problemOf?: (value: never) => string | undefined;
  /** True if callers write it without quotes, so that a string may look right to them. */
  isUnquoted?: true;
}

/** The problem of a required value: the rest of a sentence that begins with its path. */
export function problemWith(value: unknown, { expected, isOfType, problemOf }: FieldKind): string | undefined {
  return isOfType(value) ? problemOf?.(value as never) : ` must be ${expected}`;
}

/** Text with a maximum number of characters (Unicode code points). */
export function text(max: number, { canBeBlank = false } = {}): FieldKind {
  return {
    schema: { type: 'string', maxLength: max, ...(!canBeBlank && { minLength: 1, pattern: '\\S' }) },
    expected: 'a string',
    isOfType: isString,
    problemOf: (value: string) => {
      if (!canBeBlank && !/\S/.test(value)) return ' must not be empty or only white space';
      return isLongerThan(value, max) ? ` must not be longer than ${formatNumber(max)} characters` : unstorable(value);
    },
  };
}

/** A whole number in a range, which may have no upper end. */
export function wholeNumber(min: number, max = Infinity): FieldKind {
  return {
    schema: { type: 'integer', minimum: min, ...(max !== Infinity && { maximum: max }) },
    expected:
      max === Infinity
        ? `a whole number of at least ${formatNumber(min)}`
        : `a whole number from ${formatNumber(min)} to ${formatNumber(max)}`,
    isOfType: (value) => Number.isInteger(value) && isBetween(value, min, max),
    isUnquoted: true,
  };
}

/** A number in a range, both ends included. */
export function decimal(min: number, max: number): FieldKind {
  return {
    schema: { type: 'number', minimum: min, maximum: max },
    expected: `a number from ${formatNumber(min)} to ${formatNumber(max)}`,
    isOfType: (value) => isBetween(value, min, max),
    isUnquoted: true,
  };
}

/**
 * Dollars in a range with a maximum number of decimals. The name of such a member ends in `_usd`: by it the parser
 * knows whose digits to look at, and leaves NaN where JavaScript's number is not what was written.
 */
export function amount(min: number, max: number, decimals: number): FieldKind {
  return {
    schema: { type: 'number', minimum: min, maximum: max },
    expected: `a number of dollars from ${formatNumber(min)} to ${formatNumber(max)}`,
    isOfType: (value) => Number.isNaN(value) || isBetween(value, min, max),
    problemOf: (value: number) => {
      if (Number.isNaN(value)) return ' must have at most 15 significant digits';
      return decimalsOf(value) > decimals ? ` must have at most ${decimals} decimals` : undefined;
    },
    isUnquoted: true,
  };
}

/** A kind with one more rule, which is looked at last. */
export function withProblem<T>(kind: FieldKind, problemOf: (value: T) => string | undefined): FieldKind {
  return { ...kind, problemOf: (value: never) => kind.problemOf?.(value) ?? problemOf(value) };
}

/** A number other than 0. */
export function notZero(number: FieldKind): FieldKind {
  return withProblem(number, (value: number) => (value === 0 ? ' must not be 0' : undefined));
}

/** True or false. */
export function flag(): FieldKind {
  return {
    schema: { type: 'boolean' },
    expected: 'true or false',
    isOfType: (value) => typeof value === 'boolean',
    isUnquoted: true,
  };
}

/** One of a few words; `name` is what the API document calls them where it names them. */
export function choice(values: readonly string[], name?: string): FieldKind {
  return {
    schema: { enum: [...values], enumName: name },
    expected: values.length === 1 ? `"${values.join()}"` : `one of ${values.join(', ')}`,
    isOfType: (value) => values.includes(value as string),
  };
}

/** Some of a few words, separated by commas. */
export function wordList(words: readonly string[]): FieldKind {
  const word = `(?:${words.join('|')})`;
  return pattern(
    new RegExp(`^${word}(?:,${word})*$`),
    `one of ${words.join(', ')}, or several of them separated by commas`,
  );
}

/** Text of a form, which `expected` describes. */
export function pattern(form: RegExp, expected: string): FieldKind {
  return {
    schema: { type: 'string', pattern: form.source },
    expected,
    isOfType: (value) => typeof value === 'string' && form.test(value),
  };
}

/** The id of a record; `what` is how an error calls it, such as `an eval id`. */
export function recordId(kind: IdKind, what: string): FieldKind {
  return pattern(new RegExp(`^${kind}_[0-9a-hjkmnp-tv-z]{26}$`), `${what} such as ${kind}_01k9z3t5v7x9b1d3f5h7k9m1n3`);
}

/** A month in UTC. */
export function month(): FieldKind {
  return pattern(MONTH_PATTERN, 'a real month written YYYY-MM, such as 2026-11');
}

/** An instant, written as RFC 3339 has it. */
export function dateTime(): FieldKind {
  return {
    schema: { type: 'string', format: 'date-time' },
    expected: 'a date and time such as 2027-01-01T00:00:00Z',
    isOfType: isString,
    problemOf: dateTimeProblem,
  };
}

/** A list with bounds on its length; `of` is the name of its elements. */
export function listOf(
  element: FieldKind,
  { of, min, max, isUnique = false }: { of: string; min: number; max: number; isUnique?: boolean },
): FieldKind {
  return {
    // Swagger's module makes named schemas of a list's enum only if the enum is beside it.
    schema: {
      ...('enum' in element.schema
        ? { ...element.schema, isArray: true }
        : { type: 'array', items: element.schema as never }),
      minItems: min,
      maxItems: max,
      ...(isUnique && { uniqueItems: true }),
    },
    expected: min === 0 ? `an array of at most ${max} ${of}` : `an array of ${min} to ${max} ${of}`,
    isOfType: (value) => Array.isArray(value) && isBetween(value.length, min, max),
    problemOf: (values: unknown[]) => elementProblem(values, element) ?? (isUnique ? repetition(values) : undefined),
  };
}

/** An object whose members are validated one by one. */
export function object(): FieldKind {
  return {
    schema: {},
    expected: 'an object',
    isOfType: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  };
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

function isLongerThan(value: string, max: number): boolean {
  // A code point takes one or two units, so most texts need not be counted.
  return value.length > max && (value.length > 2 * max || Array.from(value).length > max);
}

function unstorable(value: string): string | undefined {
  return isStorable(value) ? undefined : ' must not contain U+0000 or lone surrogates';
}

function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
}

function elementProblem(values: unknown[], element: FieldKind): string | undefined {
  for (const [index, value] of values.entries()) {
    const problem = problemWith(value, element);
    if (problem !== undefined) return `[${index}]${problem}`;
  }
  return undefined;
}

function repetition(values: unknown[]): string | undefined {
  const second = values.findIndex((value, index) => values.indexOf(value) < index);
  return second < 0
    ? undefined
    : ` must not repeat an element; [${second}] is the same as [${values.indexOf(values[second])}]`;
}

/** Formats a number with thousands separators, such as 1,000. */
export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}
