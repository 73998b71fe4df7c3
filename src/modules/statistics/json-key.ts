import { decimalKey } from './decimal-key';
import { sortedJson } from './sorted-json';

/**
 * The content of a text that is a JSON object or array: keys sorted, numbers by value. Undefined for other texts and
 * for JSON nested deeper than the stack reaches.
 */
export function jsonKey(text: string): string | undefined {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return `json ${JSON.stringify(sortedJson(JSON.parse(text, tagged)))}`;
  } catch {
    return undefined;
  }
}

/**
 * Numbers and texts become texts that tell which they were; a number by its source, because a float would lose digits.
 */
function tagged(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value === 'number') return `n${decimalKey(source ?? '') ?? source}`;
  return typeof value === 'string' ? `s${value}` : value;
}
