/** How amounts of money are handed over: as the exact decimal text of the answer, or as numbers, which keep about 16 digits. */
export type MoneyFormat = 'text' | 'number';

type AmountName = `${string}_usd` | `${string}_per_1m` | 'least' | 'most';

/** An answer of the API whose amounts of money are exact decimal text. */
export type Exact<T> = unknown extends T ? T
  : T extends readonly (infer Element)[] ? Exact<Element>[]
    : T extends object ? { [Name in keyof T]: Name extends AmountName ? ExactAmount<T[Name]> : Exact<T[Name]> }
      : T;
type ExactAmount<T> = T extends number ? string : Exact<T>;

/** An answer of the API with its amounts of money in that format. */
export type In<Format extends MoneyFormat, T> = Format extends 'number' ? T : Exact<T>;

const AMOUNT_NAME = /_usd$|_per_1m$|^(?:least|most)$/;
// A whole string, so that nothing within one is taken for a member, with the colon and number that may follow it.
const MEMBER = /("(?:[^"\\]|\\.)*")(\s*:\s*)?(-?\d[\d.eE+-]*)?/g;

/** Whether a member of that name is an amount of money. */
export function isAmountName(name: string): boolean {
  return AMOUNT_NAME.test(name);
}

/** Reads JSON. @throws SyntaxError */
export function parseJson(text: string, money: MoneyFormat): unknown {
  if (money === 'number') return JSON.parse(text);
  return keepsSource() ? JSON.parse(text, exactAmount) : JSON.parse(withQuotedAmounts(text));
}

/** Puts the amounts of money of a JSON text in quotation marks: for Node 20 and browsers whose `JSON.parse` does not tell how a number was written. */
export function withQuotedAmounts(text: string): string {
  return text.replace(MEMBER, (all: string, name: string, colon?: string, amount?: string) => (
    colon === undefined || amount === undefined || !isAmountName(name.slice(1, -1)) ? all : `${name}${colon}"${amount}"`
  ));
}

function exactAmount(name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && isAmountName(name) ? context?.source ?? String(value) : value;
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
