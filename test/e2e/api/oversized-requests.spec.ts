import { Api, operator } from '../../support/api';
import { createCaller } from '../../support/factories';
import { leastWithin } from '../../support/timing';

const many = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);
const valid = { prompt: 'Hello', models: ['sim-swift'] };
const MAX_MS = 2000;

describe('A request that holds far more than any valid one', () => {
  it.each([
    ['80,000 unknown members', { ...valid, ...Object.fromEntries(many(80_000).map((name) => [name, 0])) }, 'k0'],
    [
      '80,000 unknown options',
      { ...valid, options: Object.fromEntries(many(80_000).map((name) => [name, 0])) },
      'options.k0',
    ],
    ['80,000 models', { ...valid, models: many(80_000) }, 'models'],
    [
      'options that are 80,000 levels deep',
      `{"prompt":"Hello","models":["sim-swift"],"options":${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}}`,
      'options.a',
    ],
  ])('is answered like a slightly larger one: %s', async (_, body, param) => {
    const caller = await createCaller();
    for (const path of ['/api/v1/compare', '/api/v1/compare/estimate']) {
      const {
        status,
        body: { error },
      } = await caller.post(path, body);
      expect({ status, code: error.code, param: error.param }).toEqual({ status: 400, code: 'invalid_request', param });
    }
  });

  it.each([
    ['1 MB', `{"description":"${'x'.repeat(1_000_000)}"}`, 'options.response_format.schema'],
    [
      '80,000 members',
      JSON.stringify(Object.fromEntries(many(80_000).map((name) => [name, 0]))),
      'options.response_format',
    ],
    ['100,000 levels', `${'{"not":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'options.response_format'],
  ])('is refused quickly with a schema of %s', async (_, schema, param) => {
    const caller = await createCaller();
    const refusedAfterMs = async () => {
      const begunMs = performance.now();
      const {
        status,
        body: { error },
      } = await caller.post(
        '/api/v1/compare',
        `{"prompt":"Hello","models":["sim-swift"],"options":{"response_format":{"type":"json_schema","schema":${schema}}}}`,
      );
      expect({ status, code: error.code, param: error.param }).toEqual({ status: 400, code: 'invalid_request', param });
      return performance.now() - begunMs;
    };
    expect(await leastWithin(MAX_MS, refusedAfterMs)).toBeLessThanOrEqual(MAX_MS);
  });

  it('is answered in the same way by the admin endpoints', async () => {
    const { userId, keyId } = await createCaller();
    const unknown = Object.fromEntries(many(80_000).map((name) => [name, 0]));
    const settings = { allowed_models: many(80_000) };
    for (const [method, path, body, param] of [
      ['POST', 'users', { email: 'many@example.com', ...unknown }, 'k0'],
      ['PATCH', `users/${userId}`, unknown, 'k0'],
      ['POST', `users/${userId}/keys`, { name: 'many', ...settings }, 'allowed_models'],
      ['PATCH', `keys/${keyId}`, settings, 'allowed_models'],
      ['POST', `users/${userId}/adjustments`, { amount_usd: 1, reason: 'many', ...unknown }, 'k0'],
    ] as const) {
      const {
        status,
        body: { error },
      } = await operator().call(method, `/api/v1/admin/${path}`, body);
      expect({ path, status, code: error.code, param: error.param }).toEqual({
        path,
        status: 400,
        code: 'invalid_request',
        param,
      });
    }
  });

  it('may name at most 200 models for a key, as documented', async () => {
    const { keyId } = await createCaller();
    expect(
      (await operator().patch(`/api/v1/admin/keys/${keyId}`, { allowed_models: many(200) })).body.allowed_models,
    ).toEqual(many(200));
  });

  it('is rejected when its query has more than 100 parameters, and accepted with unknown ones up to that', async () => {
    const caller = await createCaller();
    const query = (count: number) => `/api/v1/evals?${many(count - 1).join('&')}&limit=7`;
    expect((await caller.get(query(100))).body.limit).toBe(7);
    const {
      status,
      body: { error },
    } = await caller.get(query(101));
    expect({ status, ...error }).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: 'The query has 101 parameters; at most 100 are taken.',
    });
  });

  it('needs a live key before its size counts', async () => {
    expect((await new Api(undefined).compare({ ...valid, models: many(80_000) })).status).toBe(401);
  });
});
