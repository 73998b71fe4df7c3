/** What of a pool of `pg` is needed here. */
export interface PreparablePool {
  Client: new (...options: never[]) => Client;
}

interface Client {
  query(statement: unknown, values?: unknown, ...rest: unknown[]): unknown;
}

// More texts than the service has: one that is made up anew each time must not fill the connections' memory.
const MOST_NAMES = 500;
const names = new Map<string, string>();

/** Lets a pool's connections prepare each statement with parameters once and run it by name, so that Postgres does not read and plan it anew every time. */
export function prepareStatements(pool: PreparablePool): void {
  pool.Client = class extends pool.Client {
    override query(statement: unknown, values?: unknown, ...rest: unknown[]): unknown {
      const name = typeof statement === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(statement) : undefined;
      return name === undefined ? super.query(statement, values, ...rest) : super.query({ name, text: statement, values }, ...rest);
    }
  };
}

/** The name of a text that is prepared; undefined when there are too many. */
export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_NAMES) return known;
  const name = `statement-${names.size + 1}`;
  names.set(text, name);
  return name;
}
