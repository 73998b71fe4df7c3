import { Api } from '../../support/api';
import { createCaller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const BANNERS = ['server', 'x-powered-by'];
const ELSEWHERE = 'https://app.example.com';

describe('The headers of a response', () => {
  it('are few on the API, name no product and forbid running, framing and caching it, also for an error', async () => {
    const caller = await createCaller();
    for (const api of [caller, new Api(undefined)]) {
      for (const path of ['/api/v1/usage', '/api/v1/nothing', '/docs-json', '/health/live']) {
        const { headers } = await api.get(path);
        expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('cache-control')).toContain('no-store');
        for (const name of [...BANNERS, 'strict-transport-security', 'access-control-allow-origin', 'x-xss-protection'])
          expect([path, name, headers.get(name)]).toEqual([path, name, null]);
      }
    }
  });

  it('have, on Swagger UI, a policy without unsafe-inline that allows all of its page', async () => {
    const { text, headers } = await new Api(undefined).get('/docs');
    const policy = new Map(
      (headers.get('content-security-policy') ?? '')
        .split(';')
        .map((directive) => [directive.trim().split(' ')[0], directive]),
    );
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe-inline|unsafe-eval/);
    expect(policy.get('default-src')).toBe("default-src 'none'");
    expect(headers.get('x-frame-options')).not.toBeNull();
    expect(text).not.toMatch(/<style| style=/);
    const scripts = [...text.matchAll(/<script(?<attributes>[^>]*)>(?<code>.*?)<\/script>/gs)].map(
      ({ groups }) => groups ?? {},
    );
    expect(scripts.length).toBe(2);
    for (const { attributes: of, code } of scripts)
      expect([of, code]).toEqual([expect.stringMatching(/^ src="\/docs\/[\w.]+\/[\w-]+\.js"$/), '']);
    expect(text).not.toMatch(/ on\w+=|javascript:|https?:\/\/(?!www\.w3\.org)/);
    const style = await new Api(undefined).get(/href="([^"]+swagger-ui\.css)"/.exec(text)?.[1] ?? '');
    // The one block is that of the bundle.
    expect([style.status, policy.get('style-src'), policy.get('style-src-attr')]).toEqual([
      200,
      expect.stringMatching(/^style-src 'self' 'sha256-[\w+/=]+'$/),
      undefined,
    ]);
    expect(style.text).not.toMatch(/url\(["']?(?!["']?data:)|@import/);
  });
});

describe('A service with CORS_ORIGINS', () => {
  let service: ServiceProcess;
  const preflight = (origin: string) =>
    new Api(undefined, service.url).call('OPTIONS', '/api/v1/compare', undefined, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      CORS_ORIGINS: `${ELSEWHERE}, http://localhost:8080`,
      SIMULATOR: 'on',
    });
  });
  afterAll(async () => void (await service.stop()));

  it('allows the pages of those origins, and no others', async () => {
    const { status, headers } = await preflight(ELSEWHERE);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ELSEWHERE);
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    expect(
      (await preflight('https://app.example.com.evil.example')).headers.get('access-control-allow-origin'),
    ).toBeNull();
    const read = await new Api(undefined, service.url).get('/api/v1/models', { headers: { origin: ELSEWHERE } });
    expect([
      read.status,
      read.headers.get('access-control-allow-origin'),
      read.headers.get('access-control-allow-credentials'),
    ]).toEqual([401, ELSEWHERE, null]);
    expect(read.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    expect((await new Api(undefined, service.url).get('/api/v1/models')).headers.get('vary')).toContain('Origin');
  });

  it('still rejects wrong methods, and answers 404 for unknown routes', async () => {
    expect((await new Api(undefined, service.url).call('PUT', '/api/v1/models')).headers.get('allow')).toBe(
      'GET, HEAD',
    );
    expect((await new Api(undefined, service.url).get('/api/v1/nothing')).status).toBe(404);
  });
});
