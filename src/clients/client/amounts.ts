/**
 * How amounts of money are handed over: as the exact decimal text of the answer, or as numbers, which keep about 16
 * digits.
 */
export type MoneyFormat = 'text' | 'number';

type AmountName = `${string}_usd` | `${string}_per_1m` | 'least' | 'most';

/** An answer of the API whose amounts of money are exact decimal text. */
export type Exact<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? { [Index in keyof T]: Exact<T[Index]> }
    : T extends object
      ? { [Name in keyof T]: Name extends AmountName ? ExactAmount<T[Name]> : Exact<T[Name]> }
      : T;
/** Within an amount that has several, such as `cost_usd: {mean, max}`, each number is one. */
type ExactAmount<T> = T extends number
  ? string
  : T extends readonly unknown[]
    ? Exact<T>
    : T extends object
      ? { [Name in keyof T]: ExactAmount<T[Name]> }
      : T;

/** An answer of the API with its amounts of money in that format. */
export type In<Format extends MoneyFormat, T> = Format extends 'number' ? T : Exact<T>;

const AMOUNT_NAME = /_usd$|_per_1m$|^(?:least|most)$/;
// A whole string, so that nothing within one is taken for a member, with the colon and number or object that may follow
// it; or the end of an object.
const MEMBER = /("(?:[^"\\]|\\.)*")(\s*:\s*)?(-?\d[\d.eE+-]*|\{)?|[{}]/g;

/** True if a member of that name is an amount of money. */
export function isAmountName(name: string): boolean {
  return AMOUNT_NAME.test(name);
}

/** Reads JSON. @throws SyntaxError */
export function parseJson(text: string, money: MoneyFormat): unknown {
  if (money === 'number') return JSON.parse(text);
  return keepsSource() ? JSON.parse(text, exactAmounts()) : JSON.parse(withQuotedAmounts(text));
}

/**
 * Puts the amounts of money of a JSON text in quotation marks: for Node 20 and browsers whose `JSON.parse` does not
 * tell how a number was written.
 */
export function withQuotedAmounts(text: string): string {
  // Of the objects around it, whether their numbers are amounts.
  const around: boolean[] = [];
  const isAmount = (name: string) => around.at(-1) === true || isAmountName(name.slice(1, -1));
  return text.replace(MEMBER, (all: string, name?: string, colon?: string, value?: string) => {
    if (all === '}') around.pop();
    if (all === '{') around.push(false);
    if (name === undefined || colon === undefined || value === undefined) return all;
    if (value === '{') around.push(isAmount(name));
    return value !== '{' && isAmount(name) ? `${name}${colon}"${value}"` : all;
  });
}

type Reviver = (this: object, name: string, value: unknown, context?: { source?: string }) => unknown;

/** A reviver, which meets what is within an object before the name of that object. */
function exactAmounts(): Reviver {
  const sources = new WeakMap<object, Map<string, string>>();
  const sourcesIn = (object: object) => sources.get(object) ?? sources.set(object, new Map()).get(object);
  const makeExact = (object: Record<string, unknown>) => {
    for (const [name, source] of sources.get(object) ?? []) object[name] = source;
    for (const inner of Object.values(object)) if (isObject(inner)) makeExact(inner);
  };
  return function exactAmount(name, value, context) {
    if (typeof value === 'number') {
      const source = context?.source ?? String(value);
      if (isAmountName(name)) return source;
      if (!Array.isArray(this)) sourcesIn(this)?.set(name, source);
    } else if (isObject(value) && isAmountName(name)) makeExact(value);
    return value;
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

let isSourceKept: boolean | undefined;

/** https://github.com/tc39/proposal-json-parse-with-source */
function keepsSource(): boolean {
  if (isSourceKept === undefined) {
    JSON.parse('0', (_name: string, value: unknown, context?: { source?: string }) => {
      isSourceKept = context?.source === '0';
      return value;
    });
  }
  return isSourceKept ?? false;
}
