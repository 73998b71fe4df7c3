// npm run release -- X.Y.Z: makes the commit and the tag of a release, in a clean checkout whose CHANGELOG.md has its
// section.
// It writes the version into package.json, the lockfile and the files that name the image, and pushes nothing.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const refuse = (reason) => {
  console.error(`Nothing was changed: ${reason}`);
  process.exit(1);
};

const [version = '', ...more] = process.argv.slice(2);
const before = JSON.parse(readFileSync('package.json', 'utf8')).version;
const section = readFileSync('CHANGELOG.md', 'utf8')
  .split(/^## /m)
  .find((text) => text.startsWith(`[${version}] - `));

if (!/^\d+\.\d+\.\d+$/.test(version) || more.length > 0) refuse('usage: npm run release -- X.Y.Z');
if (git('status', '--porcelain') !== '') refuse('the checkout has changes that are not committed.');
if (git('tag', '--list', `v${version}`) !== '') refuse(`there is a tag v${version} already.`);
if (isBelow(version, before)) refuse(`${version} is below ${before}, the version of package.json.`);
if (section === undefined || !/^\[\S+\] - \d{4}-\d{2}-\d{2}\n[^]*^- /m.test(section))
  refuse(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with entries.`);

for (const file of ['package.json', 'package-lock.json']) {
  const content = JSON.parse(readFileSync(file, 'utf8'));
  content.version = version;
  if (content.packages !== undefined) content.packages[''].version = version;
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
for (const file of ['docker-compose.yml', ...globSync('deploy/kubernetes/*.yaml')]) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text
      .replaceAll(`model-comparison-service:${before}`, `model-comparison-service:${version}`)
      .replaceAll(`mcs-migrate-${dashed(before)}`, `mcs-migrate-${dashed(version)}`),
  );
}
if (git('status', '--porcelain') !== '') git('commit', '--all', '--message', `Release ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `## ${section}`, '--cleanup=verbatim');
console.log(
  `v${version} is tagged. Next: npm test, git push --follow-tags, docker build --build-arg COMMIT=${git('rev-parse', 'HEAD')} .`,
);

function dashed(text) {
  return text.replaceAll('.', '-');
}

function isBelow(left, right) {
  const [lefts, rights] = [left, right].map((text) => text.split('.').map(Number));
  const place = lefts.findIndex((number, i) => number !== rights[i]);
  return place !== -1 && lefts[place] < rights[place];
}
