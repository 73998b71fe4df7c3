// npm run licenses:check: every package of the lockfile has a license that we may use, and the README tells those of our direct dependencies.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '../..');
const ALLOWED = new Set([
  'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', '0BSD', 'Unlicense', 'Python-2.0', 'Zlib', 'CC0-1.0', 'CC-BY-3.0', 'CC-BY-4.0',
]);

const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

/** SPDX: with OR one license must be allowed, with AND all of them. */
function isAllowed(expression) {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (text.includes(' OR ')) return text.split(' OR ').some(isAllowed);
  return text.split(' AND ').every((license) => ALLOWED.has(license.trim()));
}

/** What the lockfile says, or else the package itself; undefined when neither does. */
function licenseOf(folder, { license }) {
  const file = join(ROOT, folder, 'package.json');
  const said = license ?? (existsSync(file) ? read(join(folder, 'package.json')).license : undefined);
  return typeof said === 'string' ? said : said?.type;
}

const packages = Object.entries(read('package-lock.json').packages).filter(([folder, entry]) => folder !== '' && !entry.link);
const licenses = new Map(packages.map(([folder, entry]) => [folder, licenseOf(folder, entry)]));
const problems = [...licenses].filter(([, license]) => license === undefined || !isAllowed(license)).map(([folder, license]) => `${folder}: ${license ?? 'says no license'}`);

const { dependencies, optionalDependencies } = read('package.json');
const byLicence = Map.groupBy(Object.keys({ ...dependencies, ...optionalDependencies }).sort(), (name) => licenses.get(`node_modules/${name}`));
const rows = [...byLicence].sort(([left], [right]) => String(left).localeCompare(String(right))).map(([license, names]) => `| ${license} | ${names.join(', ')} |`);
const section = readFileSync(join(ROOT, 'README.md'), 'utf8').split('## Licenses\n')[1]?.split('\n## ')[0] ?? '';
const listed = section.split('\n').filter((line) => line.startsWith('|')).slice(2);
if (listed.join('\n') !== rows.join('\n')) problems.push(`README, section Licenses: the rows should be\n${rows.join('\n')}`);

for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length === 0) process.stdout.write(`${packages.length} packages, all under licenses that we may use.\n`);
process.exit(problems.length === 0 ? 0 : 1);
