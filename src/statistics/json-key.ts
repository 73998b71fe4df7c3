import { decimalKey } from './decimal-key';

/** The content of a text that is a JSON object or array: keys sorted, numbers by value. Undefined for other texts and for JSON nested deeper than the stack reaches. */
export function jsonKey(text: string): string | undefined {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return `json ${canonical(JSON.parse(text, tagged))}`;
  } catch {
    return undefined;
  }
}

/** Numbers and texts become texts that tell which they were; a number by its source, because a float would lose digits. */
function tagged(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value === 'number') return `n${decimalKey(source ?? '') ?? source}`;
  return typeof value === 'string' ? `s${value}` : value;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
