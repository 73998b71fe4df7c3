// npm run sbom: CycloneDX lists of the packages in the image, page and npm package, in dist/sbom. They come from the
// lockfile: `npm sbom` lacks what development needs too; cyclonedx-npm lists packages that no image has, without hashes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [out = 'dist/sbom', client = 'dist/package'] = process.argv.slice(2);
const { version, packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const nameOf = (path) => path.split('node_modules/').at(-1);
const purlOf = (path) => `pkg:npm/${nameOf(path).replace('@', '%40')}@${packages[path].version}`;
const licensesOf = ({ license: id }) => [/ (OR|AND) /.test(id) ? { expression: id } : { license: { id } }];
const isInstalled = (path) => path && !['dev', 'optional', 'devOptional'].some((kind) => packages[path][kind]);

mkdirSync(out, { recursive: true });
write('service', Object.keys(packages).filter(isInstalled));
write('page', bundled('dist/page/licenses.md'));
write('client', bundled(join(client, 'THIRD_PARTY_LICENSES.md')));

/** Packages by the headings of a file of licenses, which the bundler wrote. */
function bundled(file) {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^## (\S+)(?: -)? (\d\S*) \(/gm)];
  const find = (named) => Object.keys(packages).find((path) => `${nameOf(path)} ${packages[path].version}` === named);
  return headings.map(([, name, its]) => find(`${name} ${its}`));
}

function write(part, paths) {
  const components = new Map(paths.map((path) => [purlOf(path), componentOf(path)]));
  const needs = (ref) => new Set(paths.filter((path) => purlOf(path) === ref).flatMap(neededBy));
  const dependsOn = (ref) => [...needs(ref)].filter((each) => components.has(each)).sort();
  const component = { type: 'application', name: `mcs-${part}`, version, licenses: licensesOf(packages['']) };
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component } };
  const dependencies = [...components.keys()].map((ref) => ({ ref, dependsOn: dependsOn(ref) }));
  const bom = JSON.stringify({ ...head, components: [...components.values()], dependencies }, null, 2);
  writeFileSync(join(out, `${part}.cdx.json`), `${bom}\n`);
  console.log(`${part}: ${components.size} packages`);
}

function componentOf(path) {
  const [, bits, hash] = /^sha(\d+)-(.+)$/.exec(packages[path].integrity);
  const hashes = [{ alg: `SHA-${bits}`, content: Buffer.from(hash, 'base64').toString('hex') }];
  const named = { type: 'library', 'bom-ref': purlOf(path), name: nameOf(path), version: packages[path].version };
  return { ...named, licenses: licensesOf(packages[path]), purl: purlOf(path), hashes };
}

/** The packages that a package finds where Node looks for them: in its folder, and in those around it. */
function neededBy(path) {
  const { dependencies, peerDependencies } = packages[path];
  const within = `/${path}/`;
  const folders = [...within.matchAll(/\/(?=node_modules\/|$)/g)].map(({ index }) => within.slice(1, index + 1));
  const find = (name) => folders.map((folder) => `${folder}node_modules/${name}`).findLast((each) => each in packages);
  const found = Object.keys({ ...dependencies, ...peerDependencies }).map(find);
  return found.filter((each) => each !== undefined).map(purlOf);
}
