import { Api, operator, type Json } from '../support/api';
import { aCaller } from '../support/factories';

/** The routes that anybody may call; every other one is closed. */
const OPEN = ['GET /health/live', 'GET /health/ready', 'GET /metrics', 'GET /docs', 'GET /docs-json'];

async function documentedRoutes(): Promise<{ method: string; path: string }[]> {
  const document: Json = (await new Api(undefined).get('/docs-json')).body;
  return Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, 'some-id') })),
  );
}

describe('every route', () => {
  it('is closed without a key, with a malformed, an unknown and a revoked one, all in the same words', async () => {
    const revoked = await aCaller();
    await operator().delete(`/api/v1/admin/keys/${revoked.keyId}`);
    const keys = [undefined, 'nonsense', 'mcs_000000000000000000000000000000000000', revoked.key];
    for (const { method, path } of await documentedRoutes()) {
      const answers = await Promise.all(keys.map((key) => new Api(key).call(method, path)));
      for (const { status, body, headers } of answers) {
        expect([`${method} ${path}`, status]).toEqual([`${method} ${path}`, 401]);
        expect(headers.get('www-authenticate')).toBe('Bearer');
        expect({ ...body.error, request_id: '' }).toEqual({ ...answers[0]?.body.error, request_id: '' });
      }
    }
  });

  it('of the operator gives a user 403 on every step', async () => {
    const caller = await aCaller();
    const admin = (await documentedRoutes()).filter(({ path }) => path.includes('/admin/'));
    expect(admin.length).toBeGreaterThanOrEqual(8);
    for (const { method, path } of admin) expect((await caller.call(method, path)).status).toBe(403);
  });

  it('of a user refuses the operator', async () => {
    const users = (await documentedRoutes()).filter(({ path }) => !path.includes('/admin/'));
    for (const { method, path } of users) expect((await operator().call(method, path)).status).toBe(401);
  });

  it('that is open answers without a key', async () => {
    for (const route of OPEN) {
      const [method, path] = route.split(' ') as [string, string];
      expect((await new Api(undefined).call(method, path)).status).toBe(200);
    }
  });

  it('that does not exist answers 404 in the one error shape, key or not', async () => {
    const caller = await aCaller();
    for (const api of [caller, new Api(undefined)]) {
      for (const path of ['/', '/api/v1', '/api/v1/nothing', '/api/v2/models', '/%zz', '/api/v1/evals/%E0%A4%A']) {
        const { status, body } = await api.get(path);
        expect([path, status]).toEqual([path, path.includes('/evals/') && api.key === undefined ? status : 404]);
        expect(Object.keys(body.error)).toEqual(expect.arrayContaining(['code', 'message', 'request_id']));
      }
    }
  });
});
