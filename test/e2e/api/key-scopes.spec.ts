import { operator } from '../../support/api';
import { createCaller, Caller } from '../../support/factories';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const ALL = ['compare', 'evals:read', 'usage:read', 'models:read', 'shares'];

async function aKeyFor(scopes: string[] | null, user?: Caller): Promise<Caller> {
  const owner = user ?? (await createCaller());
  const { status, body } = await operator().post(`/api/v1/admin/users/${owner.userId}/keys`, { name: 'scoped', scopes });
  expect(status).toBe(201);
  expect(body.scopes).toEqual(scopes ?? ALL);
  return new Caller(body.api_key, owner.userId, owner.email, body.id);
}

/** The status of each route's answer to a key. */
async function reach(caller: Caller, evalId: string): Promise<Record<string, number>> {
  const answers = {
    compare: await caller.compare(ORDER),
    estimate: await caller.post('/api/v1/compare/estimate', ORDER),
    payment: await caller.post('/api/v1/billing/payment-method'),
    list: await caller.get('/api/v1/evals'),
    get: await caller.get(`/api/v1/evals/${evalId}`),
    usage: await caller.get('/api/v1/usage'),
    statement: await caller.get('/api/v1/usage/statement'),
    breakdown: await caller.get('/api/v1/usage/breakdown'),
    models: await caller.get('/api/v1/models'),
    erase: await caller.delete(`/api/v1/evals/${evalId}`),
  };
  return Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
}

describe('The scopes of a key', () => {
  const CLOSED = { compare: 403, estimate: 403, payment: 403, list: 403, get: 403, usage: 403, statement: 403, breakdown: 403, models: 403, erase: 403 };

  it.each([
    ['compare', { compare: 200, estimate: 200, payment: 409, erase: 204 }],
    ['evals:read', { list: 200, get: 200 }],
    ['usage:read', { usage: 200, statement: 200, breakdown: 200 }],
    ['models:read', { models: 200 }],
  ])('allow, for a key of %s, exactly the routes of that scope', async (scope, open) => {
    const caller = await aKeyFor([scope]);
    const { eval_id: id } = (await (await aKeyFor(['compare'], caller)).compare(ORDER)).body;
    expect(await reach(caller, id)).toEqual({ ...CLOSED, ...open });
  });

  it('are all by default, and are kept by rotation', async () => {
    const [open, narrow] = [await aKeyFor(null), await aKeyFor(['usage:read', 'models:read'])];
    for (const [caller, scopes] of [[open, ALL], [narrow, ['usage:read', 'models:read']]] as const) {
      const rotated = await operator().post(`/api/v1/admin/keys/${caller.keyId}/rotate`, {});
      expect(rotated.body.scopes).toEqual(scopes);
      const listed = await operator().get(`/api/v1/admin/users/${caller.userId}/keys`);
      expect(listed.body.keys[0]).toMatchObject({ id: rotated.body.id, scopes });
    }
  });

  it('can be changed with effect on the next request', async () => {
    const caller = await createCaller();
    const patch = (scopes: unknown) => operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes });
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    expect((await patch(['compare'])).body.scopes).toEqual(['compare']);
    const refused = await caller.get('/api/v1/usage');
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({ code: 'insufficient_scope', details: { required_scope: 'usage:read' } });
    expect(refused.headers.get('ratelimit')).toMatch(/^"read"/);
    expect((await patch(null)).body.scopes).toEqual(ALL);
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
  });

  it.each([[[]], [['admin']], ['compare'], [['compare', 'compare']], [[null]]])('reject %j', async (scopes) => {
    const caller = await createCaller();
    const { status, body } = await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes });
    expect(status).toBe(400);
    expect(body.error.param).toMatch(/^scopes/);
  });
});
