import { Money } from '../common/money';

/** What became of one column; amounts are decimal strings, times ISO strings. */
export interface FieldChange {
  from: unknown;
  to: unknown;
}

/** The columns that have changed, by name. */
export type Changes = Record<string, FieldChange>;

/** What differs between two states of a row in the given members, as far as the later one says; without a state before, all that is not null. */
export function changesOf<T extends object>(before: T | undefined, after: Partial<T>, members: readonly (keyof T & string)[]): Changes {
  const changes: Changes = {};
  for (const member of members) {
    if (after[member] === undefined) continue;
    const [from, to] = [plain(before?.[member]), plain(after[member])];
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[columnOf(member)] = { from, to };
  }
  return changes;
}

/** New facts that have no state before. */
export function facts(values: Record<string, unknown>): Changes {
  return changesOf<Record<string, unknown>>(undefined, values, Object.keys(values));
}

function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  // Amounts keep every digit as text; as JSON numbers they would be read as floats.
  if (value instanceof Money) return value.toString();
  return value;
}

function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
