import { isAmountName } from './amounts';

const NUMBER = /^-?\d[\d.eE+-]*$/;
/** The sign, the whole and the fraction of an exact amount. */
export const EXACT = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Three significant digits of an exact amount, at least cents: `$0.0000281`; rounded half up on its text, never through
 * a float.
 */
export function shortAmount(exact: string): string {
  const [, sign, whole, fraction = ''] = EXACT.exec(exact) ?? [];
  if (sign === undefined || whole === undefined) return `$${exact}`;
  const text = rounded(whole, fraction, decimalsFor(whole, fraction));
  return `${text === '0' ? '' : sign}$${text}`;
}

function decimalsFor(whole: string, fraction: string): number {
  return /[1-9]/.test(whole) ? 2 : Math.max(2, fraction.search(/[1-9]|$/) + 3);
}

/** With that many decimals, without zeros at the end but for those of cents. */
function rounded(whole: string, fraction: string, decimals: number): string {
  const isUp = Number(fraction[decimals] ?? 0) >= 5;
  const digits = (BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals)) + (isUp ? 1n : 0n))
    .toString()
    .padStart(decimals + 1, '0');
  const rest = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${rest === '' ? '' : `.${rest.padEnd(2, '0')}`}`;
}

/** The price between these exact amounts: "$0.0003 to $0.092", "$0.01", or "costs nothing". */
export function priceRange(least: string, most: string): string {
  const [from, to] = [shortAmount(least), shortAmount(most)];
  return isNothing(most) ? 'costs nothing' : from === to ? to : `${from} to ${to}`;
}

/** True for an amount of nothing. */
export function isNothing(exact: string): boolean {
  return shortAmount(exact) === '$0';
}

/** The JSON that the service sent: exact amounts are numbers again, with all their digits. */
export function toApiJson(value: unknown, indent?: number): string {
  // Objects whose texts are amounts.
  const amounts = new WeakSet<object>();
  function mark(this: object, name: string, member: unknown): unknown {
    if (Array.isArray(this) || !(isAmountName(name) || amounts.has(this))) return member;
    if (typeof member === 'object' && member !== null) amounts.add(member);
    // No text of an answer contains this mark unescaped, since JSON writes control characters as escapes.
    return typeof member === 'string' && NUMBER.test(member) ? `\u0001${member}\u0001` : member;
  }
  return JSON.stringify(value, mark, indent).replace(/"\\u0001(-?\d[\d.eE+-]*)\\u0001"/g, '$1');
}
