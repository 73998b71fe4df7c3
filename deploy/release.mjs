// npm run release -- X.Y.Z: makes the commit and the tag of a release, on a clean branch that is not behind and whose
// CHANGELOG.md has its section. It writes the version wherever it is named, and pushes nothing.
// npm run release:manifests: names the build that is checked out in the files that deploy it.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';

/** Where the version comes after other text. */
const PLACES = [
  [/("name": "model-comparison-service",\s+"version": ")[^"]+/g, 'package.json', 'package-lock.json'],
  [/("info": \{[^]*?\n {4}"version": ")[^"]+/, 'docs/openapi.json'],
  [/^(version = ")[^"]+/im, 'clients/python/pyproject.toml', 'clients/python/src/model_comparison/transport.py'],
  [/(org\.opencontainers\.image\.version="?)\d[\w.-]*/g, 'Dockerfile'],
];
const DEPLOYED = ['docker-compose.yml', ...globSync('deploy/kubernetes/*.yaml')];
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
/** The answer of git, or undefined if it fails. */
const ask = (...args) => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};
const refuse = (reason) => {
  console.error(`Nothing was changed: ${reason}`);
  process.exit(1);
};

const [version = '', ...more] = process.argv.slice(2);
const before = JSON.parse(readFileSync('package.json', 'utf8')).version;
const isRelease = version !== '--manifests';

if ((isRelease && !/^\d+\.\d+\.\d+$/.test(version)) || more.length > 0) refuse('usage: npm run release -- X.Y.Z');
const others = isRelease ? [] : ['.', ...DEPLOYED.map((file) => `:!${file}`), ':!deploy/kubernetes/settings.env'];
if (git('status', '--porcelain', '--', ...others) !== '') refuse('the checkout has changes that are not committed.');

if (isRelease) release();
else {
  // 1.0.0 is a release, 1.0.0-14-gabc1234 the 14th commit after it.
  const found = ask('describe', '--tags', '--match', 'v[0-9]*') ?? `v${before}-g${git('rev-parse', '--short', 'HEAD')}`;
  deploy(found.slice(1));
  console.log(`The files deploy ${found.slice(1)}. Build and push this image before you apply them.`);
}

function release() {
  const branch = ask('symbolic-ref', '--quiet', '--short', 'HEAD') ?? refuse('no branch is checked out.');
  const remote = ask('config', `branch.${branch}.remote`);
  if (remote !== undefined && ask('fetch', '--quiet', '--tags', remote) === undefined)
    refuse(`git fetch ${remote} failed, so ${branch} may be behind.`);
  if ((ask('rev-list', '-1', 'HEAD..@{upstream}') ?? '') !== '') refuse(`${branch} is behind ${remote}: git pull.`);

  const subject = `^Release ${version.replaceAll('.', '\\.')}$`;
  const released = git('log', '-1', '--extended-regexp', `--grep=${subject}`, '--format=%H');
  const section = readFileSync('CHANGELOG.md', 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`[${version}] - `));
  if (git('tag', '--list', `v${version}`) !== '') refuse(`there is a tag v${version} already.`);
  if (!['', git('rev-parse', 'HEAD')].includes(released)) refuse(`an earlier commit is Release ${version}; tag that.`);
  if (isBelow(version, before)) refuse(`${version} is below ${before}, the version of package.json.`);
  if (section === undefined || !/^\[\S+\] - \d{4}-\d{2}-\d{2}\n[^]*^- /m.test(section))
    refuse(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with entries.`);

  for (const [place, ...files] of PLACES) for (const file of files) write(file, place, version);
  deploy(version);
  if (git('status', '--porcelain') !== '') git('commit', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `## ${section}`, '--cleanup=verbatim');
  console.log(
    `v${version} is tagged. Next: npm test, git push --follow-tags, docker build --build-arg COMMIT=${git('rev-parse', 'HEAD')} .`,
  );
}

/** Names a build in the files that deploy it, with another Job for each, because a Job cannot be changed. */
function deploy(build) {
  for (const file of DEPLOYED) {
    write(file, /(model-comparison-service:)[\w.-]+/g, build);
    write(file, /(mcs-migrate-)\d[\w-]*/g, build.replaceAll('.', '-'));
  }
}

function write(file, place, name) {
  const text = readFileSync(file, 'utf8').replace(place, (_, start) => start + name);
  writeFileSync(file, text);
}

function isBelow(left, right) {
  const [lefts, rights] = [left, right].map((text) => text.split('.').map(Number));
  const place = lefts.findIndex((number, i) => number !== rights[i]);
  return place !== -1 && lefts[place] < rights[place];
}
