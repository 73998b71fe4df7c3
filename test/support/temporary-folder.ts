import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAfterTests } from './cleanup';

/** A new folder that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-test-'));
  endAfterTests(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
