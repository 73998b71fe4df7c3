import { hash } from 'node:crypto';

// More texts than the service has: texts that differ each time must not fill the connections' memory.
const MAX_NAMES = 500;
const NAME_DIGITS = 40;

/**
 * The names under which statements are prepared, so that Postgres reads and plans each text once a connection. A name
 * is made from the text alone: on a
 * connection that a pooler hands from one process to another, it never means another statement.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private isOff = false;

  /** The name of a text that is prepared; undefined when there are too many, or when naming was disabled. */
  nameOf(text: string): string | undefined {
    if (this.isOff) return undefined;
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= MAX_NAMES) return known;
    const name = `mcs_${hash('sha256', text).slice(0, NAME_DIGITS)}`;
    this.names.set(text, name);
    return name;
  }

  /** Names nothing any more. False when it was disabled before. */
  disable(): boolean {
    const isNew = !this.isOff;
    this.isOff = true;
    return isNew;
  }
}
