import { createCaller, type Caller } from '../../support/factories';

describe('GET /api/v1/evals', () => {
  let caller: Caller;
  let ids: string[];
  beforeAll(async () => {
    const neighbor = await createCaller();
    caller = await createCaller();
    ids = [];
    for (let i = 0; i < 5; i += 1) {
      ids.unshift((await caller.compare({ prompt: `number ${i}`, models: ['sim-swift'] })).body.eval_id);
      // Between them in time, so that nothing of another user's counts as skipped.
      await neighbor.compare({ prompt: `number ${i}`, models: ['sim-swift'] });
    }
  });

  const listed = async (query: string) => (await caller.get(`/api/v1/evals${query}`)).body;
  const idsOf = (body: { evals: { eval_id: string }[] }) => body.evals.map((summary) => summary.eval_id);

  it('lists summaries, newest first, with exactly the fields of the contract', async () => {
    const body = await listed('');
    expect(body).toMatchObject({ limit: 20, offset: 0 });
    expect(idsOf(body)).toEqual(ids);
    expect(Object.keys(body).sort()).toEqual(['evals', 'limit', 'offset']);
    for (const summary of body.evals) {
      expect(Object.keys(summary).sort()).toEqual(['created_at', 'eval_id', 'meta', 'models', 'prompt']);
      expect(Object.keys(summary.meta).sort()).toEqual(['fastest_model', 'total_cost_usd']);
    }
  });

  it('applies limit and offset, and returns them', async () => {
    const body = await listed('?limit=2&offset=1');
    expect(body).toMatchObject({ limit: 2, offset: 1 });
    expect(idsOf(body)).toEqual(ids.slice(1, 3));
  });

  it('clamps a limit over 100 and returns what it applied', async () => {
    expect(await listed('?limit=5000')).toMatchObject({ limit: 100 });
  });

  it('returns an empty list past the end', async () => {
    expect(await listed('?offset=900000')).toEqual({ evals: [], limit: 20, offset: 900_000 });
  });

  it('ignores unknown query parameters', async () => {
    expect((await caller.get('/api/v1/evals?color=red')).status).toBe(200);
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'limit=1&limit=2',
    'limit=1e2',
    'offset=-1',
    'offset=x',
    'offset=99999999999999999999',
    'cursor=nonsense',
  ])('rejects %s', async (query) => {
    const { status, body } = await caller.get(`/api/v1/evals?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request', param: query.split('=')[0] });
  });

  it('leads through all pages by the Link header, undisturbed by new evals', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/api/v1/evals?limit=2';
    while (path !== undefined) {
      const page = await caller.get(path);
      seen.push(...idsOf(page.body));
      await caller.compare({ prompt: 'in between', models: ['sim-swift'] });
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });
});

describe('GET /api/v1/evals/:id', () => {
  it.each(['eval_01k9z3t5v7x9b1d3f5h7k9m1n3', 'eval_', 'nonsense', '%00', "'; drop table evals; --", 'x'.repeat(300)])(
    'answers 404 in the same words for %s',
    async (id) => {
      const caller = await createCaller();
      const { status, body } = await caller.get(`/api/v1/evals/${encodeURIComponent(id)}`);
      expect(status).toBe(404);
      expect(body.error).toMatchObject({ code: 'not_found' });
    },
  );
});
