import { ApiError } from '../../common/errors';
import { formatNumber } from '../../platform/http/validation/field-kinds';
import { CHECK_LIMITS, type CheckField } from './check-type';
import { typeOf, type Check } from './types';

/** The values that stand for names in braces, by name. */
export type CheckVariables = Readonly<Record<string, string | undefined>>;

const NAME = /\{(\w+)\}/g;
const SPECIAL = /[\\^$.|?*+()[\]{}]/g;

/**
 * The checks with the variables filled into their texts: in one pass, without scanning inserted text, and escaped in a
 * pattern. A name without a value is unchanged.
 * @throws ApiError invalid_request if the filled checks are too long
 */
export function fillChecks(checks: readonly Check[], variables: CheckVariables): Check[] {
  let [characters, inserted] = [0, 0];
  const valueOf = (name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    inserted += value?.length ?? 0;
    // A text that would be too long is never built.
    return inserted > CHECK_LIMITS.MAX_CHARACTERS ? '' : value;
  };
  return checks.map((check, position) => {
    const before = inserted;
    const filledCheck = fillCheck(check, valueOf);
    characters += JSON.stringify(filledCheck).length;
    if (inserted === before || Math.max(inserted, characters) <= CHECK_LIMITS.MAX_CHARACTERS) return filledCheck;
    const param = `checks[${position}]`;
    throw new ApiError('invalid_request', {
      message: `With ${Object.keys(variables).join(' and ')} filled in, ${param} makes the checks longer than ${formatNumber(CHECK_LIMITS.MAX_CHARACTERS)} characters as JSON.`,
      param,
    });
  });
}

function fillCheck(check: Check, valueOf: (name: string) => string | undefined): Check {
  const members = new Map<string, unknown>(Object.entries(check));
  for (const [name, { variables }] of Object.entries<CheckField>(typeOf(check).fields)) {
    if (variables === undefined || members.get(name) === undefined) continue;
    const form = (value: string | undefined) => (variables === 'escaped' ? value?.replace(SPECIAL, '\\$&') : value);
    members.set(
      name,
      filled(members.get(name), (text) =>
        text.replace(NAME, (whole, variable: string) => form(valueOf(variable)) ?? whole),
      ),
    );
  }
  return Object.fromEntries(members) as unknown as Check;
}

function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((element) => filled(element, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, fill)]));
}
