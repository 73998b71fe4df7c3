const MAX_SIGNIFICANT_DIGITS = 15;
/** More than any request has that is taken. */
const MAX_VALUES = 11_000;
/**
 * Found in every text with a number that a JavaScript number may not keep: with more than 15 digits, or too near to
 * zero.
 */
const SUSPECT = /(?<![\d.])[\d.]{16}|[eE]-\d{3}/;

const sources = new WeakMap<object, string>();

/**
 * Keeps the text that a value was parsed from, where it may say more than the value; the parser of bodies calls this.
 */
export function keepSource(parsed: unknown, json: string): void {
  if (typeof parsed === 'object' && parsed !== null && SUSPECT.test(json))
    sources.set(parsed, json.replace(/^\uFEFF/, ''));
}

/**
 * The same value, in which an amount (a number whose name ends in `_usd`) is NaN where it has more digits than a number
 * keeps.
 */
export function withExactAmounts(parsed: object): object {
  const json = sources.get(parsed);
  // Reading every value's source takes a hundred times as long as parsing, so a body that is refused for its size is
  // left unchanged.
  if (json === undefined || !isSmall(parsed)) return parsed;
  return JSON.parse(json, (name: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && name.endsWith('_usd') ? exact(value, context?.source ?? '') : value,
  ) as object;
}

function exact(value: number, source: string): number {
  const [mantissa = ''] = source.split(/[eE]/);
  const digits = mantissa.replace(/[-.]/g, '');
  const first = digits.search(/[1-9]/);
  if (first === -1) return value;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  if (end - first > MAX_SIGNIFICANT_DIGITS) return NaN;
  // An amount too small for a number still has too many decimals.
  return value === 0 ? Number.MIN_VALUE : value;
}

function isSmall(parsed: object): boolean {
  const rest: unknown[] = [parsed];
  for (let seen = 1; rest.length > 0;) {
    const value = rest.pop();
    const inner: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
    seen += inner.length;
    if (seen > MAX_VALUES) return false;
    rest.push(...inner);
  }
  return true;
}
