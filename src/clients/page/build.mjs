// Builds the guide into dist/guide. Builds the page into dist/page and compresses its files, unless the last build had
// the same inputs; that one is then copied.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import './guide/build.mjs';

const ROOT = join(import.meta.dirname, '../../..');
const OUT = join(ROOT, 'dist/page');
const LAST = join(ROOT, 'node_modules/.cache/page');

const hash = createHash('sha256');
for (const file of [
  'package-lock.json',
  'tsconfig.json',
  ...globSync(
    'src/{clients/page,clients/client,common,modules/providers,modules/checks,modules/billing,modules/models}/**/*.{ts,tsx,css,html,json,mjs}',
    { cwd: ROOT },
  ).sort(),
]) {
  if (!file.endsWith('.spec.ts'))
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
}
const inputs = hash.digest('hex');

if (!existsSync(join(LAST, inputs))) {
  rmSync(LAST, { recursive: true, force: true });
  await build({ configFile: join(import.meta.dirname, 'vite.config.mjs'), logLevel: 'warn' });
  for (const file of globSync('**/*.{html,js,css}', { cwd: OUT })) compress(join(OUT, file));
  cpSync(OUT, join(LAST, inputs), { recursive: true });
} else {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  cpSync(join(LAST, inputs), OUT, { recursive: true });
}

function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  );
}
