import { nearRoute } from './near-route';

const ROUTES = [
  { url: '/api/v1/compare', methods: ['POST'] },
  { url: '/api/v1/compare/estimate', methods: ['POST'] },
  { url: '/api/v1/evals', methods: ['GET', 'HEAD'] },
  { url: '/api/v1/evals/:id', methods: ['GET', 'HEAD', 'DELETE', 'PATCH'] },
  { url: '/api/v1/key', methods: ['GET', 'HEAD'] },
  { url: '/docs', methods: ['GET'] },
];

describe('The route that an unknown path was meant to be', () => {
  it.each([
    ['POST', '/v1/compare', 'POST /api/v1/compare'],
    ['POST', '/api/compare', 'POST /api/v1/compare'],
    ['POST', '/api/v1/compare/', 'POST /api/v1/compare'],
    ['GET', '/compares', 'POST /api/v1/compare'],
    ['POST', '/api/v2/Compare', 'POST /api/v1/compare'],
    ['POST', '/compare/estimat', 'POST /api/v1/compare/estimate'],
    ['DELETE', '/v1/evals/eval_1', 'DELETE /api/v1/evals/{id}'],
    ['GET', '/api/v1/eval/eval_1', 'GET /api/v1/evals/{id}'],
    ['GET', '/api/v1/eval', 'GET /api/v1/evals'],
  ])('is, for %s %s, %s', (method, path, expected) => {
    expect(nearRoute(path, method, ROUTES)).toBe(`perhaps ${expected} was meant`);
  });

  it.each(['/v1/chat/completions', '/chat/completions', '/v1/responses', '/api/v1/messages'])(
    'is, for %s, named as no chat endpoint',
    (path) => {
      expect(nearRoute(path, 'POST', ROUTES)).toContain('no chat endpoint');
    },
  );

  it.each([
    '/',
    '/nowhere',
    '/doc',
    '/docs/package.json',
    '/%64ocs/package.json',
    '/api/v1',
    '/api/v1/kay/x',
    '/api/v1/evals//',
    `/api/v1/compare${'e'.repeat(8000)}`,
    '/'.repeat(8000),
  ])('is absent for path %#', (path) => {
    expect(nearRoute(path, 'GET', ROUTES.slice(0, path === '/api/v1/evals//' ? 2 : undefined))).toBeUndefined();
  });

  it('looks at a hostile path for a short time', () => {
    const started = performance.now();
    for (let index = 0; index < 1000; index += 1) nearRoute(`/${'a/'.repeat(45)}`, 'GET', ROUTES);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
