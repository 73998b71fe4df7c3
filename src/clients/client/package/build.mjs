// npm run package: makes the npm package of the client and the command line in dist/package, or in the folder that is
// named.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '../../../..');
const OUT = process.argv[2] ?? join(ROOT, 'dist/package');
const { version, license, repository, homepage, bugs } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const require = createRequire(import.meta.url);

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const bundled = new Map();
const client = join(ROOT, 'src/clients/client/client.ts');
await bundle({
  entry: { client, cli: join(ROOT, 'src/clients/cli/main.ts') },
  formats: ['es'],
  fileName: (_format, name) => `${name}.js`,
});
await bundle({ entry: { client }, formats: ['cjs'], fileName: (_format, name) => `${name}.cjs` });
writeTypes();
writeFileSync(join(OUT, 'types.js'), 'export {};\n');
writeFileSync(join(OUT, 'types.cjs'), "'use strict';\n");
cpSync(join(import.meta.dirname, 'README.md'), join(OUT, 'README.md'));
cpSync(join(ROOT, 'LICENSE'), join(OUT, 'LICENSE'));
writeLicenses();
writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);

function bundle(lib) {
  return build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    define: { CLIENT_VERSION: JSON.stringify(version) },
    plugins: [
      { name: 'bundled-packages', generateBundle: (_options, files) => Object.values(files).forEach(collectPackages) },
    ],
    build: {
      outDir: OUT,
      emptyOutDir: false,
      target: 'es2023',
      // Readable for debugging; browser bundles are minified by their own build.
      minify: false,
      lib,
      rolldownOptions: {
        external: /^node:/,
        output: {
          chunkFileNames: `chunks/[name].${lib.formats[0] === 'cjs' ? 'cjs' : 'js'}`,
          banner: ({ name }) => (name === 'cli' ? '#!/usr/bin/env node' : ''),
        },
      },
    },
  });
}

function manifest() {
  return {
    name: '@model-comparison/client',
    version,
    description:
      'Client and command line of the Model Comparison Service: one prompt, several language models, what they answer and what it costs.',
    keywords: [
      'llm',
      'evaluation',
      'comparison',
      'benchmark',
      'cost',
      'latency',
      'openai',
      'anthropic',
      'gemini',
      'cli',
    ],
    license,
    // Absent until the service's package.json has a public address.
    repository,
    homepage,
    bugs,
    type: 'module',
    sideEffects: ['./cli.js'],
    engines: { node: '>=20.12' },
    bin: { mcs: './cli.js' },
    exports: {
      '.': entry('client', './client'),
      './types': entry('types', './types'),
      './package.json': './package.json',
    },
    // For resolutions that know no exports.
    main: './client.cjs',
    types: './types/client.d.ts',
    typesVersions: { '*': { types: ['./types/types.d.ts'] } },
    files: ['*.js', '*.cjs', 'chunks', 'types', 'THIRD_PARTY_LICENSES.md'],
  };
}

function entry(name, file) {
  return {
    import: { types: `./types/${name}.d.ts`, default: `${file}.js` },
    require: { types: `./types/${name}.d.cts`, default: `${file}.cjs` },
  };
}

/**
 * Declarations for Node's resolution too, which wants the file's whole name; once more for CommonJS, which cannot
 * import those of ES modules.
 */
function writeTypes() {
  const types = join(OUT, 'types');
  execFileSync(
    process.execPath,
    [
      require.resolve('typescript/bin/tsc'),
      '-p',
      join(ROOT, 'src/clients/client'),
      '--noEmit',
      'false',
      '--declaration',
      '--emitDeclarationOnly',
      '--sourceMap',
      'false',
      '--outDir',
      types,
    ],
    { stdio: 'inherit' },
  );
  for (const name of readdirSync(types, { recursive: true }).filter((each) => each.endsWith('.ts'))) {
    const file = join(types, name);
    const text = readFileSync(file, 'utf8');
    for (const kind of ['js', 'cjs'])
      writeFileSync(
        file.replace(/\.ts$/, kind === 'js' ? '.ts' : '.cts'),
        text.replace(/(from\s+|import\()(['"])(\.[^'"]*)\2/g, `$1$2$3.${kind}$2`),
      );
  }
}

/**
 * Remembers which packages a file contains; only those whose license may be shipped, without development's exceptions.
 */
function collectPackages({ modules = {} }) {
  for (const path of Object.keys(modules)) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) bundled.set(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  }
}

function writeLicenses() {
  const { isAllowed } = require(join(ROOT, 'test/conventions/licenses.cjs'));
  const texts = [...bundled]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([folder, { name, version: itsVersion, license: itsLicense }]) => {
      if (!isAllowed(itsLicense)) throw new Error(`${name} is under ${itsLicense}, which may not be shipped.`);
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      if (file === undefined) throw new Error(`${name} comes without the text of its license.`);
      return `## ${name} ${itsVersion} (${itsLicense})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    });
  writeFileSync(
    join(OUT, 'THIRD_PARTY_LICENSES.md'),
    `# Third-party licenses\n\nThe files of this package contain code of these.\n\n${texts.join('\n')}`,
  );
}
