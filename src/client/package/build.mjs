// npm run package: makes the npm package of the client and the command line in dist/package, or in the folder that is named.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '../../..');
const OUT = process.argv[2] ?? join(ROOT, 'dist/package');
const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const require = createRequire(import.meta.url);

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const bundled = new Map();
await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  plugins: [{ name: 'bundled-packages', generateBundle: (_options, bundle) => Object.values(bundle).forEach(collectPackages) }],
  build: {
    outDir: OUT,
    emptyOutDir: false,
    target: 'es2023',
    // Readable for debugging; browser bundles are minified by their own build.
    minify: false,
    lib: { entry: { client: join(ROOT, 'src/client/client.ts'), cli: join(ROOT, 'src/cli/main.ts') }, formats: ['es'], fileName: (_format, name) => `${name}.js` },
    rolldownOptions: { external: /^node:/, output: { chunkFileNames: 'chunks/[name].js', banner: ({ name }) => (name === 'cli' ? '#!/usr/bin/env node' : '') } },
  },
});
writeTypes();
writeFileSync(join(OUT, 'types.js'), 'export {};\n');
cpSync(join(import.meta.dirname, 'README.md'), join(OUT, 'README.md'));
cpSync(join(ROOT, 'LICENSE'), join(OUT, 'LICENSE'));
writeLicenses();
writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);

function manifest() {
  return {
    name: 'model-comparison',
    version,
    description: 'Client and command line of the Model Comparison Service: one prompt, several language models, what they answer and what it costs.',
    license,
    type: 'module',
    sideEffects: ['./cli.js'],
    engines: { node: '>=20.12' },
    bin: { mcs: './cli.js' },
    exports: {
      '.': { types: './types/client.d.ts', default: './client.js' },
      './types': { types: './types/types.d.ts', default: './types.js' },
      './package.json': './package.json',
    },
    types: './types/client.d.ts',
    files: ['*.js', 'chunks', 'types', 'THIRD_PARTY_LICENSES.md'],
  };
}

/** Declarations for Node's resolution too, which wants the file's whole name. */
function writeTypes() {
  const types = join(OUT, 'types');
  execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', join(ROOT, 'src/client'), '--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--sourceMap', 'false', '--outDir', types], { stdio: 'inherit' });
  for (const name of readdirSync(types)) {
    const file = join(types, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from\s+|import\()(['"])(\.[^'"]*)\2/g, '$1$2$3.js$2'));
  }
}

/** Remembers which packages a file contains; only those whose license may be shipped, without development's exceptions. */
function collectPackages({ modules = {} }) {
  for (const path of Object.keys(modules)) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) bundled.set(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  }
}

function writeLicenses() {
  const { isAllowed } = require(join(ROOT, 'test/conventions/licenses.cjs'));
  const texts = [...bundled].sort(([left], [right]) => (left < right ? -1 : 1)).map(([folder, { name, version: itsVersion, license: itsLicense }]) => {
    if (!isAllowed(itsLicense)) throw new Error(`${name} is under ${itsLicense}, which may not be shipped.`);
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} comes without the text of its license.`);
    return `## ${name} ${itsVersion} (${itsLicense})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  writeFileSync(join(OUT, 'THIRD_PARTY_LICENSES.md'), `# Third-party licenses\n\nThe files of this package contain code of these.\n\n${texts.join('\n')}`);
}
