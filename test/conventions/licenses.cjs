// npm run licenses:check: every package of the lockfile has a license that we may use (more of them in development, of
// which nothing is shipped), and THIRD_PARTY_LICENSES.md lists the packages of the service.
// npm run licenses:check -- --write writes that list.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '../..');
const LIST = 'THIRD_PARTY_LICENSES.md';
const ALLOWED = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
  'Unlicense',
  'Python-2.0',
  'Zlib',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
]);
/** Weak copyleft: its conditions begin where it is handed on. Vite's lightningcss is under it. */
const ALLOWED_IN_DEVELOPMENT = new Set([...ALLOWED, 'MPL-2.0']);

const readText = (file) => readFileSync(join(ROOT, file), 'utf8');
const readJson = (file) => JSON.parse(readText(file));

/** SPDX: with OR one license must be allowed, with AND all of them. */
function isAllowed(expression, allowed = ALLOWED) {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some((part) => isAllowed(part, allowed));
  return text.split(' AND ').every((license) => allowed.has(license.trim()));
}

/** The license problems of these packages. */
function licenseProblems(packages) {
  return packages
    .filter(
      ({ license, isShipped }) =>
        license === undefined || !isAllowed(license, isShipped ? ALLOWED : ALLOWED_IN_DEVELOPMENT),
    )
    .map(
      ({ folder, license, isShipped }) =>
        `${folder}: ${license ?? 'states no license'}${isShipped ? '' : ' (development)'}`,
    );
}

/** The license in the lockfile, or else in the package; undefined if neither has one. */
function licenseOf(folder, { license }) {
  const file = join(folder, 'package.json');
  const stated = license ?? (existsSync(join(ROOT, file)) ? readJson(file).license : undefined);
  return typeof stated === 'string' ? stated : stated?.type;
}

/** The packages of the lockfile. */
function lockedPackages() {
  return Object.entries(readJson('package-lock.json').packages)
    .filter(([folder, entry]) => folder !== '' && !entry.link)
    .map(([folder, entry]) => ({
      folder,
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version,
      isShipped: !entry.dev,
      license: licenseOf(folder, entry),
    }));
}

/** The list as it should be: the packages that are installed without development dependencies, each version once. */
function list(packages) {
  const { dependencies, optionalDependencies } = readJson('package.json');
  const direct = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
  const rows = packages
    .filter(({ isShipped }) => isShipped)
    .map(({ folder, name, version, license }) => {
      const isDirect = direct.has(name) && folder === `node_modules/${name}`;
      return `| ${isDirect ? `**${name}**` : name} | ${version} | ${license ?? 'none stated'} |`;
    });
  const text = (row) => row.replaceAll('*', '');
  const sorted = [...new Set(rows)].sort((left, right) => (text(left) < text(right) ? -1 : 1));
  return [
    '# Third-party licenses',
    '',
    'The packages that are installed with the service, on any platform; direct dependencies in bold. Generated from `package-lock.json` by `npm run licenses:check -- --write`; the license of each is in its package.',
    '',
    '| Package | Version | License |',
    '| --- | --- | --- |',
    ...sorted,
    '',
  ].join('\n');
}

function main() {
  const packages = lockedPackages();
  if (process.argv.includes('--write')) writeFileSync(join(ROOT, LIST), list(packages));
  const problems = licenseProblems(packages);
  if (!existsSync(join(ROOT, LIST)) || readText(LIST) !== list(packages))
    problems.push(`${LIST} is out of date: npm run licenses:check -- --write`);

  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write(`${packages.length} packages, all under licenses that we may use.\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (require.main === module) main();

module.exports = { isAllowed, licenseProblems };
