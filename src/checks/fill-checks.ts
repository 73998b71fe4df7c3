import type { Check } from './check';

/** What stands for a name in braces. */
export type Variables = Readonly<Record<string, string | undefined>>;

const NAME = /\{(\w+)\}/g;
/** What means something in a pattern of RE2. */
const SPECIAL = /[\\^$.|?*+()[\]{}]/g;

/** A check with the variables filled into its texts: in one pass, never looked through again, and escaped in a pattern. A name without a value stays as it is. */
export function fillCheck(check: Check, variables: Variables): Check {
  const fill = (text: string) => fillIn(text, variables);
  switch (check.type) {
    case 'equals':
    case 'similarity': return { ...check, value: fill(check.value) };
    case 'contains': return { ...check, values: check.values.map(fill) };
    case 'regex': return { ...check, pattern: fillIn(check.pattern, variables, (value) => value.replace(SPECIAL, '\\$&')) };
    case 'json': return check.schema === undefined ? check : { ...check, schema: filled(check.schema, fill) as object };
    default: return check;
  }
}

function fillIn(text: string, variables: Variables, escape = (value: string) => value): string {
  return text.replace(NAME, (whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === undefined ? whole : escape(value);
  });
}

function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((element) => filled(element, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, fill)]));
}
