import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { ErrorBody } from '../../../src/common/errors';
import { Api } from '../../support/api';
import { requestText, rawRequest } from '../../support/raw';
import { worker } from '../../support/worker';

const { version: VERSION } = JSON.parse(readFileSync(require.resolve('swagger-ui-dist/package.json'), 'utf8')) as {
  version: string;
};
const MAX_WIRE_BYTES = 600_000;

const nobody = () => new Api(undefined);

/** The files that the page asks for. */
async function filesOfPage(): Promise<string[]> {
  const { text } = await nobody().get('/docs');
  return [...text.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)].map(([, file]) => file ?? '');
}

/** Status, headers and bytes on the wire, without undoing any compression. */
async function fetchRaw(
  path: string,
  acceptEncoding?: string,
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> {
  const [response] = (await once(
    get(`${worker().serviceUrl}${path}`, {
      headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
    }),
    'response',
  )) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

describe('GET /docs', () => {
  it('serves its page, with and without a slash at the end, for phones too, and every file that the page asks for', async () => {
    for (const path of ['/docs', '/docs/']) {
      const { status, headers, text } = await nobody().get(path);
      expect([path, status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    }
    const files = await filesOfPage();
    expect(files.map((file) => file.split('/').at(-1))).toEqual([
      'swagger-ui.css',
      'docs.css',
      'swagger-ui-bundle.js',
      'docs.js',
    ]);
    for (const file of files) expect([file, (await nobody().get(file)).status]).toEqual([file, 200]);
  });

  it('links to the guide and to the API document; the README stays as text', async () => {
    const { text } = await nobody().get('/docs');
    const links = [...text.matchAll(/<a href="([^"]+)">([^<]+)</g)].map(([, path, words]) => [path, words]);
    expect(links.filter(([path]) => path !== '/')).toEqual([
      ['/docs/guide', 'Guide'],
      ['/docs-json', 'API document (JSON)'],
      ['/docs-yaml', 'YAML'],
      ['/docs-json', '/docs-json'],
    ]);
    for (const [path = ''] of links) expect([path, (await nobody().get(path)).status]).toEqual([path, 200]);
    const readme = await nobody().get('/docs/readme');
    expect([readme.headers.get('content-type'), readme.text]).toEqual([
      'text/plain; charset=utf-8',
      readFileSync(join(__dirname, '../../../README.md'), 'utf8'),
    ]);
  });

  it(`sends all of it, and the API document, in at most ${MAX_WIRE_BYTES} bytes to browsers, which keep the files`, async () => {
    let total = 0;
    for (const path of ['/docs', '/docs-json', ...(await filesOfPage())]) {
      const { headers, bytes } = await fetchRaw(path, 'gzip, deflate, br, zstd');
      if (path.startsWith('/docs/'))
        expect([path, headers['content-encoding'], headers['cache-control'], headers.vary]).toEqual([
          path,
          'gzip',
          'public, max-age=31536000, immutable',
          'Accept-Encoding',
        ]);
      total += bytes.length;
    }
    expect(total).toBeLessThanOrEqual(MAX_WIRE_BYTES);
  });

  it.each([
    [undefined, false],
    ['identity', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000, br', false],
    ['br', false],
    ['x-gzip', false],
    ['gzip', true],
    ['br, gzip;q=0.5', true],
    ['GZIP', true],
  ])('compresses for Accept-Encoding %s: %s, with the same content', async (accepted, isCompressed) => {
    const [path = ''] = (await filesOfPage()).filter((file) => file.endsWith('/docs.js'));
    const { headers, bytes } = await fetchRaw(path, accepted);
    expect(headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
    expect(String(isCompressed ? gunzipSync(bytes) : bytes)).toContain('SwaggerUIBundle(');
  });

  it('changes the address of a file with its content', async () => {
    const files = await filesOfPage();
    expect(files.filter((file) => file.includes('swagger-ui'))).toEqual(
      ['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => `/docs/${VERSION}/${name}`),
    );
    for (const file of files.filter((path) => !path.includes('swagger-ui'))) {
      const { text } = await nobody().get(file);
      expect(file.split('/')[2]).toBe(createHash('sha256').update(text).digest('hex').slice(0, 10));
    }
  });

  it.each(['GET', 'HEAD', 'PUT', 'POST'])(
    'answers %s of any other file of its package, and of any other name, with the same 404',
    async (method) => {
      const others = readdirSync(dirname(require.resolve('swagger-ui-dist/package.json')));
      expect(others).toEqual(
        expect.arrayContaining([
          'package.json',
          'index.html',
          'oauth2-redirect.html',
          'swagger-initializer.js',
          'swagger-ui.css.map',
        ]),
      );
      const versioned = `/docs/${VERSION}`;
      const inVersion = others
        .filter((file) => !['swagger-ui.css', 'swagger-ui-bundle.js'].includes(file))
        .map((file) => `${versioned}/${file}`);
      const names = [
        ...others,
        'swagger-ui-init.js',
        'nothing',
        'swagger-ui.css/',
        '%73wagger-ui.css',
        './package.json',
        '../docs/package.json',
        '%2e/package.json',
        '/package.json',
        'package.json?/docs/swagger-ui.css',
        '..%2fpackage.json',
        '\\package.json',
        '%00',
      ].map((name) => `/docs/${name}`);
      for (const name of [
        ...inVersion,
        ...names,
        `${versioned}/../package.json`,
        versioned,
        'http://service/docs/package.json',
        '/%64ocs/package.json',
        '/docs%2Fpackage.json',
      ])
        expect([name, await refusalOf(method, name)]).toEqual([
          name,
          method === 'HEAD' ? '404 ' : '404 not_found No such route or resource.',
        ]);
    },
  );

  it('serves the API document as JSON and as YAML', async () => {
    const yaml = await nobody().get('/docs-yaml');
    expect([yaml.status, yaml.text.split('\n')[0], (await nobody().get('/docs-json')).status]).toEqual([
      200,
      'openapi: 3.1.0',
      200,
    ]);
  });

  it('allows only reads on existing files', async () => {
    for (const path of ['/docs', ...(await filesOfPage())]) {
      const { status, headers } = await nobody().call('POST', path);
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('does not store the pasted key in the browser', async () => {
    const [path = ''] = (await filesOfPage()).filter((file) => file.endsWith('/docs.js'));
    const { text } = await nobody().get(path);
    expect(text).toContain('persistAuthorization: false');
    expect(text).not.toMatch(/localStorage|sessionStorage|cookie/);
  });
});

/** Status, code and message of an answer; a HEAD has no body. */
async function refusalOf(method: string, target: string): Promise<string> {
  const { status = 0, body = '' } = (await rawRequest(worker().serviceUrl, requestText(method, target))) ?? {};
  const { code, message } = body === '' ? { code: '', message: '' } : (JSON.parse(body) as ErrorBody).error;
  return `${status} ${`${code} ${message}`.trim()}`;
}
