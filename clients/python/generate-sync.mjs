// Part of npm run openapi:generate: writes _sync.py from _async.py; with a folder, writes there instead, for the test that
// compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'src/model_comparison');

/** The differences between the asynchronous client and the synchronous one. */
const SYNCHRONOUS = [
  [/^""".*"""/, '"""The synchronous client. Generated from _async.py by `npm run openapi:generate`: do not edit."""'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/Awaitable\[(\w+)\]/g, '$1'],
  [/\bAsync(Client|Iterator)\b/g, '$1'],
  [/__a(enter|exit|iter)__/g, '__$1__'],
  [/\b(_?)a(close|iter_bytes)\b/g, '$1$2'],
  [/asyncio\.get_running_loop\(\)/g, 'None'],
  [/asyncio\.sleep/g, 'time.sleep'],
  [/import asyncio\n|Awaitable, /g, ''],
];
const client = readFileSync(join(SOURCE, '_async.py'), 'utf8');
writeFileSync(
  join(process.argv[2] ?? SOURCE, '_sync.py'),
  SYNCHRONOUS.reduce((text, [pattern, by]) => text.replace(pattern, by), client),
);
