import { Money } from '../../common/money';
import type { CheckFields, CheckType } from './check-type';
import { CONTAINS, type ContainsCheck } from './types/contains';
import { COST, type CostCheck } from './types/cost';
import { EQUALS, type EqualsCheck } from './types/equals';
import { FINISHED, type FinishedCheck } from './types/finished';
import { JSON_TYPE, type JsonCheck } from './types/json';
import { LABEL, type LabelCheck } from './types/label';
import { LATENCY, type LatencyCheck } from './types/latency';
import { LENGTH, type LengthCheck } from './types/length';
import { NUMBER, type NumberCheck } from './types/number';
import { REGEX, type RegexCheck } from './types/regex';
import { SIMILARITY, type SimilarityCheck } from './types/similarity';

/** A check of the answer of a model, with defaults filled in and members as on the wire. */
export type Check =
  | EqualsCheck
  | ContainsCheck
  | LabelCheck
  | RegexCheck
  | JsonCheck
  | NumberCheck
  | LengthCheck
  | SimilarityCheck
  | LatencyCheck
  | CostCheck
  | FinishedCheck;

export type CheckOf<T extends Check['type']> = Extract<Check, { type: T }>;

/** A check in a request, with or without the members that have defaults. */
export type GivenCheck = Partial<CheckFields> & { type: Check['type'] } & Readonly<Record<string, unknown>>;

export const TYPES: { readonly [T in Check['type']]: CheckType<CheckOf<T>> } = {
  equals: EQUALS,
  contains: CONTAINS,
  label: LABEL,
  regex: REGEX,
  json: JSON_TYPE,
  number: NUMBER,
  length: LENGTH,
  similarity: SIMILARITY,
  latency: LATENCY,
  cost: COST,
  finished: FINISHED,
};

export const TYPE_NAMES = Object.keys(TYPES) as Check['type'][];

export function typeOf({ type }: Pick<Check, 'type'>): CheckType<Check> {
  return TYPES[type] as CheckType<Check>;
}

export function isType(name: unknown): name is Check['type'] {
  return typeof name === 'string' && Object.hasOwn(TYPES, name);
}

/** A check as a request has it, where amounts are numbers. */
export function sentCheck(check: Check): object {
  return withAmounts(check, Number);
}

/** The inverse of `sentCheck`. */
export function storedCheck(sent: object): Check {
  return withAmounts(sent, (amount) => Money.fromNumber(Number(amount)).toString()) as Check;
}

/** The members of a check, with its amounts in another form. */
export function withAmounts(members: object, convert: (amount: string | number) => unknown): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [
      name,
      name.endsWith('_usd') && value !== undefined ? convert(value as string | number) : value,
    ]),
  );
}
