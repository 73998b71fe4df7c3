import { once } from 'node:events';
import { get, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Api } from '../../support/api';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

const SCREENS = [
  '/',
  '/history',
  '/evals',
  '/evals/',
  '/experiments/',
  '/evals/eval_01m80hnr7cra628arq2msyxb94',
  '/evals/no such%2Fid',
  '/shared/mcs_share_of_nobody',
  '/usage',
  '/experiments',
  '/experiments/new',
  '/experiments/exp_01m80hnr7cra628arq2msyxb94',
];
const POLICY =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types 'none'";
const FOR_GOOD = 'public, max-age=31536000, immutable';

interface Raw {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

const nobody = (url?: string) => new Api(undefined, url);

/** Status, headers and raw bytes. */
async function fetchRaw(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const sent =
    method === 'GET'
      ? get(`${worker().serviceUrl}${path}`, { headers })
      : request(`${worker().serviceUrl}${path}`, { method, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

/** The files that the page asks for. */
async function filesOfPage(): Promise<string[]> {
  const { text } = await nobody().get('/');
  return [...text.matchAll(/<(?:script|link) [^>]*(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file ?? '');
}

describe('The page', () => {
  it('is the same file at the address of each screen, key or no key, asked for again each time', async () => {
    const { text: first } = await nobody().get('/');
    expect(first).toMatch(/<div id="app"><\/div>/);
    for (const path of SCREENS) {
      for (const api of [nobody(), new Api('no-key-at-all')]) {
        const { status, headers, text } = await api.get(path.replace(' ', '%20'));
        expect([path, status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
          path,
          200,
          'text/html; charset=utf-8',
          'no-cache',
        ]);
        expect(text).toBe(first);
      }
    }
  });

  it('comes with a policy under which no text becomes markup, and its files too', async () => {
    for (const path of ['/', ...(await filesOfPage())]) {
      const { headers } = await fetchRaw(path);
      expect(headers).toMatchObject({
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect([path, headers['server'], headers['x-powered-by'], headers['set-cookie']]).toEqual([
        path,
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  it('asks search engines to leave out what is shared, and nothing else', async () => {
    const robots = await Promise.all(
      ['/shared/mcs_share_of_nobody', '/', '/evals/eval_1'].map(
        async (path) => (await fetchRaw(path)).headers['x-robots-tag'],
      ),
    );
    expect(robots).toEqual(['noindex', undefined, undefined]);
  });

  it('names a script, a style sheet and nothing of another host, and contains neither of them itself', async () => {
    const { text } = await nobody().get('/');
    expect((await filesOfPage()).map((file) => file.replace(/-[\w-]{8}\./, '.')).sort()).toEqual(
      expect.arrayContaining(['/assets/index.js', '/assets/style.css']),
    );
    expect(text).not.toMatch(/<style| style=| on\w+=|javascript:|https?:\/\/(?!www\.w3\.org)/);
    for (const [, code] of text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)) expect(code).toBe('');
  });

  it('says in one sentence with links what a browser without scripts can do', async () => {
    const { text } = await nobody().get('/');
    const sentence = /<noscript>(.*?)<\/noscript>/s.exec(text)?.[1] ?? '';
    const links = [...sentence.matchAll(/href="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(links).toEqual(['/docs', '/docs-json', '/docs/guide']);
    for (const path of links) expect([path, (await nobody().get(path)).status]).toEqual([path, 200]);
  });

  it('is kept by browsers: its files for good, the page until it changes', async () => {
    const {
      headers: { etag = '' },
    } = await fetchRaw('/');
    for (const path of ['/', '/history', '/usage', '/evals/eval_1', '/shared/token']) {
      const again = await fetchRaw(path, { 'if-none-match': etag });
      expect([
        path,
        again.status,
        again.bytes.length,
        again.headers['cache-control'],
        again.headers['content-security-policy'],
      ]).toEqual([path, 304, 0, 'no-cache', POLICY]);
      expect((await fetchRaw(path, { 'if-none-match': 'W/"another"' })).status).toBe(200);
    }
    for (const path of await filesOfPage())
      expect([path, (await fetchRaw(path)).headers['cache-control']]).toEqual([path, FOR_GOOD]);
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity', undefined],
    [undefined, undefined],
    ['zstd', undefined],
  ])('is compressed for Accept-Encoding %s as %s, with the same content', async (accepted, encoding) => {
    for (const path of ['/', ...(await filesOfPage())]) {
      const { headers, bytes } = await fetchRaw(path, accepted === undefined ? {} : { 'accept-encoding': accepted });
      expect([path, headers['content-encoding'], headers.vary, headers['content-length']]).toEqual([
        path,
        encoding,
        'Accept-Encoding',
        String(bytes.length),
      ]);
      const content = encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
      expect(String(content)).toBe(String((await fetchRaw(path)).bytes));
    }
  });

  it('answers HEAD as GET, without the bytes', async () => {
    for (const path of ['/', '/usage', ...(await filesOfPage())]) {
      const [whole, head] = [await fetchRaw(path), await fetchRaw(path, {}, 'HEAD')];
      expect([path, head.status, head.bytes.length, head.headers.etag, head.headers['cache-control']]).toEqual([
        path,
        200,
        0,
        whole.headers.etag,
        whole.headers['cache-control'],
      ]);
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('refuses %s with 405', async (method) => {
    for (const path of ['/', '/history', '/evals/eval_1', '/shared/token', '/usage', ...(await filesOfPage())]) {
      const { status, headers, body } = await nobody().call(method, path);
      expect([path, status, headers.get('allow'), body.error.code]).toEqual([
        path,
        405,
        'GET, HEAD',
        'method_not_allowed',
      ]);
    }
  });

  it('does not change other addresses: 404 in the one error format', async () => {
    const files = await filesOfPage();
    const names = [
      '/index.html',
      '/index.html.br',
      '/index.html.gz',
      '/history/',
      '/evals/a/b',
      '/shared',
      '/shared/',
      '/shared/a/b',
      '/usage/x',
      '/assets',
      '/assets/',
      '/assets/nothing.js',
      '/favicon.ico',
      '/main.tsx',
      '/src/main.tsx',
      '/Usage',
      '//',
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/index.html',
    ];
    for (const path of [
      ...names,
      ...files.flatMap((file) => [`${file}.br`, `${file}.gz`, `${file}/`, `${file}.map`]),
    ]) {
      const { status, headers, bytes } = await fetchRaw(path, { 'accept-encoding': 'br, gzip' });
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json; charset=utf-8']);
      expect(JSON.parse(String(bytes))).toMatchObject({ error: { code: 'not_found' } });
    }
  });

  it('counts under no rate limit and needs no database', async () => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_READ_PER_MINUTE: '1',
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '1',
    });
    for (let n = 0; n < 5; n += 1) {
      const { status, headers } = await nobody(service.url).get('/', { headers: { authorization: 'Bearer nonsense' } });
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    }
    await service.stop();
  });

  it('appears in the metrics under the pattern of its address', async () => {
    await nobody().get('/evals/eval_seen_by_nobody');
    const { text } = await nobody().get('/metrics');
    expect(text).toMatch(/route="\/evals\/:id"/);
    expect(text).not.toContain('eval_seen_by_nobody');
  });
});

describe('A service with PAGE=off', () => {
  it('serves nothing of the page, and everything else', async () => {
    const files = await filesOfPage();
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', PAGE: 'off' });
    for (const path of ['/', '/history', '/evals/eval_1', '/usage', '/licenses.md', ...files]) {
      const { status, body } = await nobody(service.url).get(path);
      expect([path, status, body.error.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await nobody(service.url).get('/docs')).status).toBe(200);
    const guide = await nobody(service.url).get('/docs/guide');
    expect([
      guide.status,
      guide.text.includes('href="/"'),
      (await nobody().get('/docs/guide')).text.includes('href="/"'),
    ]).toEqual([200, false, true]);
    expect((await nobody(service.url).get('/api/v1/models')).status).toBe(401);
    await service.stop();
  });
});
