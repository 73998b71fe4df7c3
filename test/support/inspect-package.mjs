// node test/support/inspect-package.mjs FOLDER TARBALL: prints, as JSON, what publint and attw find in the package, and
// the sizes of its client and of its import in a browser.
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build, parseSync } from 'vite';

const [folder, tarball] = process.argv.slice(2);
const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { problems } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
const [{ output }] = await build({
  configFile: false,
  logLevel: 'silent',
  build: { write: false, minify: true, lib: { entry: join(folder, 'client.js'), formats: ['es'] } },
});
const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
/** The names of a chunk and of all chunks that it loads at once. */
const loadedWith = (name) => [name, ...(chunks.get(name)?.imports ?? []).flatMap(loadedWith)];
const atStart = new Set(output.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => loadedWith(fileName)));
const gzipBytes = (some) => some.reduce((sum, { code }) => sum + gzipSync(code).length, 0);

// The files of the package themselves: a bundle for browsers has stubs in place of modules of Node.
const files = output.flatMap(({ moduleIds }) => moduleIds).filter((id) => isAbsolute(id));

/**
 * The names of Node in a program; texts that mention one are none. A member of an object literal or a pattern is found
 * by its value.
 */
function namesOfNode(node) {
  if (Array.isArray(node)) return node.flatMap(namesOfNode);
  if (typeof node !== 'object' || node === null) return [];
  if (node.type === 'Identifier')
    return ['Buffer', 'process', 'require', '__dirname', '__filename'].includes(node.name) ? [node.name] : [];
  if (node.type === 'Literal') return /^node:/.test(node.value) ? [node.value] : [];
  const { key, ...others } = node;
  return [...Object.values(others), ...(node.computed === true ? [key] : [])].flatMap(namesOfNode);
}

process.stdout.write(
  JSON.stringify({
    publint: messages.map((message) => formatMessage(message, manifest)),
    attw: problems,
    clientGzipBytes: gzipBytes(output.filter(({ fileName }) => atStart.has(fileName))),
    importGzipBytes: gzipBytes(output.filter(({ fileName }) => !atStart.has(fileName))),
    namesOfNode: files.flatMap((file) => namesOfNode(parseSync(file, readFileSync(file, 'utf8')).program)),
  }),
);
