import { UsageError } from './exit-codes';
import type { System } from './system';

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file ${path}.`,
  ENOTDIR: (path) => `There is no file ${path}.`,
  EISDIR: (path) => `${path} is a folder. Name a file.`,
  EACCES: (path) => `You have no permission to read ${path}.`,
};

/** The text of a file. @throws UsageError */
export function fileText(system: System, path: string): string {
  return readable(path, () => system.readFile(path));
}

/** The bytes of a file. @throws UsageError */
export function fileBytes(system: System, path: string): Uint8Array<ArrayBuffer> {
  return readable(path, () => system.readBytes(path));
}

/** Writes a file. @throws UsageError */
export function writeText(system: System, path: string, text: string): void {
  try {
    system.writeFile(path, text);
  } catch (error) {
    throw new UsageError(
      `The file ${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
    );
  }
}

/** Adds to a file, which need not exist. @throws UsageError */
export function appendText(system: System, path: string, text: string): void {
  let before = '';
  try {
    before = system.readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') readable(path, () => system.readFile(path));
  }
  writeText(system, path, before + text);
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new UsageError(REASONS[code]?.(path) ?? `The file ${path} cannot be read (${code}).`);
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
