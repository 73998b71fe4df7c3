import { UsageError } from './exit-codes';
import type { System } from './system';

/** The text of a file. @throws UsageError */
export function fileText(system: System, path: string): string {
  try {
    return system.readFile(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}.`);
  }
}

/** Parses a JSON text from there. @throws UsageError */
export function jsonOf(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${source} is not JSON.`);
  }
}
