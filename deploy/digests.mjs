// npm run release:digests: writes the digest beside each tag in Dockerfile and docker-compose.yml, as the registries name
// it. A digest that is there already has to exist in its registry.
import { readFileSync, writeFileSync } from 'node:fs';

const IMAGE = /(?<=^(?:FROM|\s+image:) )([\w./-]+):([\w.-]+)(?:@(sha256:[0-9a-f]{64}))?/gm;
const Accept = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';

const files = ['Dockerfile', 'docker-compose.yml'];
const texts = files.map((file) => readFileSync(file, 'utf8'));
const written = new Map();
try {
  for (const [all, image, tag, digest] of texts.join('\n').matchAll(IMAGE))
    if (!written.has(all)) written.set(all, `${image}:${tag}@${await digestOf(image, digest ?? tag)}`);
} catch (error) {
  console.error(`Nothing was changed: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
  process.exit(1);
}
const pin = (all) => written.get(all);
files.forEach((file, i) => writeFileSync(file, texts[i].replace(IMAGE, pin)));
console.log([...written.values()].join('\n'));

async function digestOf(image, reference) {
  const [, host = 'registry-1.docker.io', name] = /^(?:([^/]+\.[^/]+)\/)?(.+)$/.exec(image);
  const path = host.endsWith('docker.io') && !name.includes('/') ? `library/${name}` : name;
  // REGISTRY is another one to ask, such as a mirror.
  const address = `${process.env.REGISTRY ?? `https://${host}`}/v2/${path}/manifests/${reference}`;
  const ask = (more) => fetch(address, { method: 'HEAD', headers: { Accept, ...more } });
  let answer = await ask();
  if (answer.status === 401) {
    const challenge = answer.headers.get('www-authenticate').matchAll(/(\w+)="([^"]*)"/g);
    const { realm, ...query } = Object.fromEntries([...challenge].map(([, key, value]) => [key, value]));
    const { token, access_token } = await (await fetch(`${realm}?${new URLSearchParams(query)}`)).json();
    answer = await ask({ Authorization: `Bearer ${token ?? access_token}` });
  }
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`the registry answered ${answer.status} for ${image}, ${reference}`);
  return digest;
}
