import { ApiError } from '../common/errors';
import { said } from '../http/validation/field-kinds';
import { CHECK_LIMITS, type Check } from './check';

/** What stands for a name in braces. */
export type Variables = Readonly<Record<string, string | undefined>>;

const NAME = /\{(\w+)\}/g;
/** What means something in a pattern of RE2. */
const SPECIAL = /[\\^$.|?*+()[\]{}]/g;

/**
 * The checks with the variables filled into their texts: in one pass, never looked through again, and escaped in a pattern. A name without a value stays as it is.
 * @throws ApiError invalid_request when that makes them longer than checks may be
 */
export function fillChecks(checks: readonly Check[], variables: Variables): Check[] {
  const filler = new Filler(variables);
  let characters = 0;
  return checks.map((check, position) => {
    const before = filler.inserted;
    const full = filler.fill(check);
    characters += JSON.stringify(full ?? '').length;
    if (full !== undefined && (characters <= CHECK_LIMITS.MAX_CHARACTERS || filler.inserted === before)) return full;
    const param = `checks[${position}]`;
    const names = Object.keys(variables).join(' and ');
    throw new ApiError('invalid_request', { message: `With ${names} filled in, ${param} makes the checks longer than ${said(CHECK_LIMITS.MAX_CHARACTERS)} characters as JSON.`, param });
  });
}

/** Fills in no more than checks may hold: what is too long is never built. */
class Filler {
  /** Characters that were filled in so far. */
  inserted = 0;

  constructor(private readonly variables: Variables) {}

  /** Undefined when it would be too long. */
  fill(check: Check): Check | undefined {
    const full = this.filled(check);
    return this.inserted <= CHECK_LIMITS.MAX_CHARACTERS ? full : undefined;
  }

  private filled(check: Check): Check {
    switch (check.type) {
      case 'equals':
      case 'similarity': return { ...check, value: this.text(check.value) };
      case 'contains': return { ...check, values: check.values.map((value) => this.text(value)) };
      case 'regex': return { ...check, pattern: this.text(check.pattern, (value) => value.replace(SPECIAL, '\\$&')) };
      case 'json': return check.schema === undefined ? check : { ...check, schema: filled(check.schema, (text) => this.text(text)) as object };
      default: return check;
    }
  }

  private text(text: string, escape = (value: string) => value): string {
    return text.replace(NAME, (whole, name: string) => {
      const value = Object.hasOwn(this.variables, name) ? this.variables[name] : undefined;
      if (value === undefined) return whole;
      this.inserted += value.length;
      return this.inserted <= CHECK_LIMITS.MAX_CHARACTERS ? escape(value) : '';
    });
  }
}

function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((element) => filled(element, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, fill)]));
}
