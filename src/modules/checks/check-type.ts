import type { Money } from '../../common/money';
import type { FieldKind } from '../../platform/http/validation/field-kinds';

/** Bounds of all checks of a request; those of a type are in its file. */
export const CHECK_LIMITS = {
  MAX_CHECKS: 20,
  /** Characters of all checks of a request together, written as JSON. */
  MAX_CHARACTERS: 65_536,
  MAX_WEIGHT: 1000,
} as const;

export const COMMON_DEFAULTS = { weight: 1, not: false } as const;

export const CASE = 'Whether upper and lower case count as the same.';

/** The common members of all checks; names are unique in an eval. */
export interface CheckFields {
  name: string;
  /** How much it counts in the score of a result; above 0. */
  weight: number;
  /** Turns pass into fail and fail into pass. */
  not: boolean;
}

/** The input of a check: the text, and the measurements; absent if there are none. */
export interface CheckedAnswer {
  text: string;
  finishReason?: string | null;
  latencyMs?: number;
  /** Null when there was no text. */
  firstTokenMs?: number | null;
  cost?: Money;
  /** Tokens of the text, without those of reasoning. */
  tokens?: number;
}

/**
 * The finding about an answer: true if it meets the check, before `not` inverts it, or the reason why it is undecided.
 */
export type Finding = { isMet: boolean; score?: number; observed: string } | { undecided: string };

/**
 * A member of a check in a request. Without a default it is required, unless it is optional. Amounts have names that
 * end in `_usd`.
 */
export interface CheckField {
  kind: FieldKind;
  optional?: true;
  default?: unknown;
  description: string;
  example?: unknown;
  /** True if its default is not stored: evals from before the member existed have none. */
  staysAbsent?: true;
  /** Variables such as {input} are filled into its texts, for a pattern escaped. */
  variables?: 'plain' | 'escaped';
}

/** Makes the values of members that only a thread can use, because they take long to load and to run. */
export interface Compilers {
  /** A function that looks for a pattern. @throws Error if the pattern is unusable */
  pattern(pattern: string, flags: string): (text: string) => boolean;
  /** A function that returns the first violation of a schema. @throws Error if the schema is unusable */
  schema(schema: object): (value: unknown) => string | undefined;
}

/**
 * A type of check: its form in requests and in the API document, and its verdict. Threads load it too, so its file
 * imports no decorators.
 */
export interface CheckType<C extends CheckFields & { type: string }> {
  /** The name and description of its schema in the API document. */
  schema: { name: string; description: string };
  /** Its own members, in the order of the document. */
  fields: { readonly [Member in Exclude<keyof C, keyof CheckFields | 'type'>]-?: CheckField };
  /** The problem of members together: the rest of a sentence that begins with the path of the check. */
  problemOf?(given: Readonly<Record<string, unknown>>): string | undefined;
  /** False if the check runs in a thread, with a time limit. Always true by default. */
  isInline?(check: C, text: string): boolean;
  /**
   * The characters that an inline check reads; numbers and words take four times as long to find as a text. By default
   * all of the text once.
   */
  charactersRead?(check: C, text: string): number;
  /** The finding in time that grows with the length of the text only. */
  decide?(check: C, answer: CheckedAnswer): Finding;
  /** The finding of a check that is not inline; by default that of `decide`. */
  decideInThread?(check: C, text: string, compilers: Compilers): Finding;
  /** The member that has to compile before anything is called, where it is given. */
  compiled?: { member: keyof C & string; compile(check: C, compilers: Compilers): void };
}
