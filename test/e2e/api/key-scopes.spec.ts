import { operator, type Answer, type Json } from '../../support/api';
import { createCaller, Caller } from '../../support/factories';
import { ended, queue } from '../../support/runs';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const ALL = ['compare', 'evals:read', 'usage:read', 'models:read', 'shares', 'experiments', 'experiments:read'];

async function aKeyFor(scopes: string[] | null, user?: Caller): Promise<Caller> {
  const owner = user ?? (await createCaller());
  const { status, body } = await operator().post(`/api/v1/admin/users/${owner.userId}/keys`, {
    name: 'scoped',
    scopes,
  });
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
  const CLOSED = {
    compare: 403,
    estimate: 403,
    payment: 403,
    list: 403,
    get: 403,
    usage: 403,
    statement: 403,
    breakdown: 403,
    models: 403,
    erase: 403,
  };

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
    for (const [caller, scopes] of [
      [open, ALL],
      [narrow, ['usage:read', 'models:read']],
    ] as const) {
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

describe('A key without the scope evals:read', () => {
  const asked = (caller: Caller, order: object, headers: Record<string, string>) =>
    caller.compare(order, { headers: { 'idempotency-key': 'same', ...headers } });
  const WAYS: [string, Record<string, string>][] = [
    ['as JSON', {}],
    ['as events', { accept: 'text/event-stream' }],
    ['in the background', { prefer: 'respond-async' }],
    ['in the background, with time to wait', { prefer: 'respond-async, wait=10' }],
  ];

  it.each(WAYS.flatMap(([made, first]) => WAYS.map(([repeated, second]) => [made, repeated, first, second] as const)))(
    'gets no eval of another key by its Idempotency-Key, but its own: made %s, repeated %s',
    async (_, __, first, second) => {
      const maker = await aKeyFor(['compare']);
      const [other, reader] = [await aKeyFor(['compare'], maker), await aKeyFor(['compare', 'evals:read'], maker)];
      const made = await asked(maker, ORDER, first);
      if (made.status === 202) await ended(maker, made.body.run_id, 'succeeded');
      const refused = await asked(other, ORDER, second);
      expect([refused.status, refused.body.error.code, refused.body.error.details.required_scope]).toEqual([
        403,
        'insufficient_scope',
        'evals:read',
      ]);
      for (const caller of [maker, reader])
        expect((await asked(caller, ORDER, second)).headers.get('idempotency-replayed')).toBe('true');
    },
  );

  it('sees and cancels only the runs that it made', async () => {
    const [reader, narrow] = [await aKeyFor(['compare', 'evals:read']), ['compare']];
    const [maker, other] = [await aKeyFor(narrow, reader), await aKeyFor(narrow, reader)];
    const runs: Record<string, string> = {};
    for (const caller of [maker, other]) runs[caller.keyId] = (await queue(caller, ORDER)).body.run_id;
    const [own = '', foreign = ''] = [runs[maker.keyId], runs[other.keyId]];
    const listed = async (caller: Caller) =>
      (await caller.get('/api/v1/runs')).body.runs.map(({ run_id: id }: Json) => id);
    expect([await listed(maker), await listed(other), await listed(reader)]).toEqual([
      [own],
      [foreign],
      [foreign, own],
    ]);
    const withoutId = ({ status, text }: Answer<Json>) => [status, text.replace(/req_\w+/, '')];
    for (const method of ['GET', 'DELETE']) {
      expect(withoutId(await maker.call(method, `/api/v1/runs/${foreign}`))).toEqual(
        withoutId(await maker.call(method, '/api/v1/runs/run_01k9z3t5v7x9b1d3f5h7k9m1n3')),
      );
      expect((await maker.call(method, `/api/v1/runs/${own}`)).status).not.toBe(404);
      expect((await reader.call(method, `/api/v1/runs/${foreign}`)).status).not.toBe(404);
    }
  });

  it('is led through its own runs page by page', async () => {
    const maker = await aKeyFor(['compare']);
    const other = await aKeyFor(['compare'], maker);
    const ids: string[] = [];
    for (const caller of [maker, other, maker, other, maker]) {
      const { run_id: id } = (await queue(caller, ORDER)).body;
      if (caller === maker) ids.unshift(id);
    }
    const first = await maker.get('/api/v1/runs?limit=2');
    const second = await maker.get(/^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    expect([first, second].map(({ body }) => body.runs.map(({ run_id: id }: Json) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2),
    ]);
    expect(second.headers.get('link')).toBeNull();
  });
});
