import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runProgram } from '../cluster/support/program';
import { read } from '../conventions/docs.markdown';
import type { Json } from '../support/api';
import { builtPackage } from '../support/client-package';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '../..');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Json> };

describe('The workflows', () => {
  it('use actions by their commits, and may only read, except a job that publishes and runs no package', () => {
    const texts = globSync('.github/**/*.yml', { cwd: ROOT }).map(read);
    const used = texts.flatMap((text) => [...text.matchAll(/^[ -]*uses: (.+)$/gm)].map(([, action]) => action ?? ''));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((action) => !/^\.\/|^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
    const workflows = texts.map((text): Json => parse(text)).filter(({ jobs }) => jobs);
    expect(workflows.map(({ permissions }) => permissions)).toEqual(workflows.map(() => ({ contents: 'read' })));
    const own = workflows.flatMap(({ jobs }): Json[] => Object.values(jobs)).filter((job) => job.permissions);
    const permissions = { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' };
    expect(own.map((job) => job.permissions)).toEqual([permissions]);
    expect(JSON.stringify(own)).not.toMatch(/npm |node /);
  });
});

describe('npm run sbom', () => {
  it('lists the packages of the image with license and hash, and those in the page and the client', async () => {
    const [folder, again] = [temporaryFolder(), temporaryFolder()];
    for (const out of [folder, again])
      await runProgram('node', ['deploy/sbom.mjs', out, await builtPackage()], { folder: ROOT });
    const [service, page, client] = ['service', 'page', 'client'].map((part): Json => {
      const text = readFileSync(join(folder, `${part}.cdx.json`), 'utf8');
      expect(readFileSync(join(again, `${part}.cdx.json`), 'utf8')).toBe(text);
      return JSON.parse(text);
    });
    const named = ({ components }: Json): string[] =>
      components.map(({ purl }: Json) => decodeURIComponent(purl.replace('pkg:npm/', ''))).sort();
    const isShipped = ({ dev, optional, devOptional }: Json) => !(dev || optional || devOptional);
    const shipped = Object.entries(packages).filter(([path, locked]) => path !== '' && isShipped(locked));
    const names = new Set(shipped.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`));
    expect([service.bomFormat, service.specVersion, ...named(service)]).toEqual([
      'CycloneDX',
      '1.6',
      ...[...names].sort(),
    ]);
    expect(named(service).join()).not.toContain('typescript@');
    expect(named(page).join()).toMatch(/marked@.*preact@/);
    expect(named(client).join()).toMatch(/commander@.*yaml@/);
    for (const { licenses, hashes, version } of [service, page, client].flatMap((bom) => bom.components)) {
      const hash = `sha512-${Buffer.from(hashes[0].content, 'hex').toString('base64')}`;
      const locked = Object.values(packages).find(({ integrity }) => integrity === hash);
      expect([licenses[0].license?.id ?? licenses[0].expression, version]).toEqual([locked.license, locked.version]);
    }
    const needs = service.dependencies.find(({ ref }: Json) => ref.startsWith('pkg:npm/pg@'));
    expect(needs.dependsOn.join()).toContain('pkg:npm/pg-pool@');
  });
});

describe('npm run release:digests', () => {
  const DIGEST = `sha256:${'0a'.repeat(32)}`;
  /** A registry that gives tokens, and knows no tag 9.9.9. */
  const registry = createServer(({ url = '', method, headers }, response) => {
    const challenge = `Bearer realm="http://${headers.host}/token",service="registry",scope="pull"`;
    if (url === '/token?service=registry&scope=pull') return response.end('{"token":"abc"}');
    if (headers.authorization !== 'Bearer abc') return response.writeHead(401, { 'www-authenticate': challenge }).end();
    const known = method === 'HEAD' ? /^\/v2\/.+\/manifests\/(?!9\.9\.9)(sha256:.+)?/.exec(url) : null;
    if (known === null) return response.writeHead(404).end();
    return response.setHeader('docker-content-digest', known[1] ?? DIGEST).end();
  });
  beforeAll((done) => void registry.listen(0, '127.0.0.1', done));
  afterAll(() => void registry.close());

  /** Runs it on the files with that tag of HAProxy. Gives what it says, and the compose file before and after. */
  async function run(tag: string, address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`) {
    const folder = temporaryFolder();
    const before = read('docker-compose.yml').replace(/haproxy:\d\S+/, `haproxy:${tag}`);
    writeFileSync(join(folder, 'Dockerfile'), read('Dockerfile'));
    writeFileSync(join(folder, 'docker-compose.yml'), before);
    const options = { folder, variables: { REGISTRY: address } };
    const said = await runProgram('node', [join(ROOT, 'deploy/digests.mjs')], options).catch(String);
    expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toBe(read('Dockerfile'));
    return { said, before, after: readFileSync(join(folder, 'docker-compose.yml'), 'utf8') };
  }

  it('writes the digest of each tag that has none, and keeps the others, as in the Dockerfile', async () => {
    expect(read('Dockerfile').match(/^FROM [\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}/gm)).toHaveLength(3);
    const { after } = await run('3.2.4');
    expect(after).toContain(`image: haproxy:3.2.4@${DIGEST}\n`);
    expect(after.match(/^ +image: (?!.*(@sha256:[0-9a-f]{64}|\})$).*/gm)).toBe(null);
  });

  it.each([
    ['an unknown tag', '9.9.9', undefined, 'the registry answered 404 for haproxy, 9.9.9'],
    ['no network', '3.2.4', 'http://127.0.0.1:1', 'fetch failed'],
  ])('changes nothing with %s', async (_, tag, address, reason) => {
    const { said, before, after } = await run(tag, address);
    expect([said, after]).toEqual([expect.stringContaining(`Nothing was changed: ${reason}`), before]);
  });
});
