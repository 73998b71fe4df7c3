// node test/support/inspect-package.mjs FOLDER TARBALL: prints, as JSON, what publint and attw find in the package, and the size of its client in a browser.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build } from 'vite';

const [folder, tarball] = process.argv.slice(2);
const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { problems } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
const [{ output }] = await build({
  configFile: false, logLevel: 'silent',
  build: { write: false, minify: true, lib: { entry: join(folder, 'client.js'), formats: ['es'] } },
});
const bundle = output.map((chunk) => chunk.code).join('');
process.stdout.write(JSON.stringify({
  publint: messages.map((message) => formatMessage(message, manifest)), attw: problems,
  clientGzipBytes: gzipSync(bundle).length, usesNode: /["']node:|\brequire\(|\bBuffer\b|(?<!\{)\bprocess\b(?=\.env)/.test(bundle),
}));
