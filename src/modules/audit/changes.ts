import { Money } from '../../common/money';

/** The change of one column. Amounts are decimal strings, times ISO 8601 strings. */
interface FieldChange {
  from: unknown;
  to: unknown;
}

/** The changed columns by name. */
export type Changes = Record<string, FieldChange>;

/**
 * The differences between two states of a row in the given members. Members missing from `after` are unchanged; without
 * `before`, every member that is not null is a change.
 */
export function changesOf<T extends object>(
  before: T | undefined,
  after: Partial<T>,
  members: readonly (keyof T & string)[],
): Changes {
  const changes: Changes = {};
  for (const member of members) {
    if (after[member] === undefined) continue;
    const [from, to] = [toJsonValue(before?.[member]), toJsonValue(after[member])];
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[toColumnName(member)] = { from, to };
  }
  return changes;
}

/** Changes that consist of new values only. */
export function facts(values: Record<string, unknown>): Changes {
  return changesOf<Record<string, unknown>>(undefined, values, Object.keys(values));
}

function toJsonValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  // Amounts are text, because JSON numbers would be read as floats.
  if (value instanceof Money) return value.toString();
  return value;
}

function toColumnName(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
