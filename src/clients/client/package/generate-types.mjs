// Part of npm run openapi:generate: writes src/clients/client/api.gen.ts from docs/openapi.json; with a path, writes
// there instead, for the test that compares.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const ROOT = join(import.meta.dirname, '../../../..');
const target = process.argv[2] ?? join(ROOT, 'src/clients/client/api.gen.ts');
const folder = mkdtempSync(join(tmpdir(), 'mcs-client-'));
try {
  await createClient({
    input: join(ROOT, 'docs/openapi.json'),
    output: { path: folder },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent' },
  });
  cpSync(join(folder, 'types.gen.ts'), target);
} finally {
  rmSync(folder, { recursive: true });
}
