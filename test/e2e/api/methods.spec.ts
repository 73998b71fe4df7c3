import { Api, operator } from '../../support/api';
import { createCaller } from '../../support/factories';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'SEARCH'];

describe('A method that a route does not allow', () => {
  it.each([
    ['/api/v1/compare', 'POST'],
    ['/api/v1/compare/estimate', 'POST'],
    ['/api/v1/models', 'GET, HEAD'],
    ['/api/v1/usage/statement', 'GET, HEAD'],
    ['/api/v1/admin/users', 'GET, HEAD, POST'],
    ['/api/v1/admin/users/some-id', 'GET, HEAD, PATCH'],
    ['/api/v1/admin/keys/some-id', 'DELETE, GET, HEAD, PATCH'],
    ['/health/live', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/', 'GET, HEAD'],
    ['/evals/eval_1', 'GET, HEAD'],
    ['/docs-json', 'GET, HEAD'],
  ])('is rejected at %s with 405 and Allow: %s, with any key or none', async (path, allowed) => {
    const wrong = METHODS.filter((method) => !allowed.split(', ').includes(method));
    for (const api of [new Api(undefined), await createCaller(), operator()]) {
      for (const method of wrong) {
        const { status, headers, body } = await api.call(method, `${path}?limit=1`);
        expect([method, status, headers.get('allow')]).toEqual([method, 405, allowed]);
        if (method !== 'HEAD')
          expect(body.error).toMatchObject({ code: 'method_not_allowed', request_id: headers.get('x-request-id') });
      }
    }
  });

  it('is answered with 404, not 405, where no route exists', async () => {
    const caller = await createCaller();
    for (const method of METHODS) {
      const { status, headers } = await caller.call(method, '/api/v1/model');
      expect([method, status, headers.get('allow')]).toEqual([method, 404, null]);
    }
  });
});
