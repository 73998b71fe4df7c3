import { readFileSync, statSync } from 'node:fs';

/** The content of a file, or the reason why it is not read, without any of its content. */
type FileText = { text: string; problem?: undefined } | { text?: undefined; problem: string };

/** Reads a file that a setting names. Pipes and devices are not opened, because they may have no end. */
export function readTextFile(file: string, maxKilobytes: number): FileText {
  try {
    const status = statSync(file);
    if (!status.isFile()) return { problem: 'names something that is not a file' };
    if (status.size > maxKilobytes * 1024) return { problem: `names a file of more than ${maxKilobytes} kB` };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) };
  } catch (error) {
    return { problem: PROBLEMS[(error as NodeJS.ErrnoException).code ?? ''] ?? 'names a file that cannot be read' };
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that is not there',
  ENOTDIR: 'names a file that is not there',
  EACCES: 'names a file that this user may not read',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'names a file that is not text',
};
