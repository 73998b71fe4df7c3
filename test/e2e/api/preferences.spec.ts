import { randomUUID } from 'node:crypto';
import { operator, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { Caller, createCaller } from '../../support/factories';
import { worker } from '../../support/worker';

const MODELS = ['sim-swift', 'sim-sage', 'sim-quill'];

/** A new eval of those models; the prompt says which fail. */
async function evalOf(caller: Caller, models = MODELS, prompt = 'Hello'): Promise<string> {
  return (await caller.compare({ prompt, models })).body.eval_id as string;
}

async function prefer(caller: Caller, id: string, body: unknown) {
  return caller.call('PUT', `/api/v1/evals/${id}/preference`, body);
}

/** The preference that a key sees in the eval. */
async function seen(caller: Caller, id: string): Promise<Json> {
  return (await caller.get(`/api/v1/evals/${id}?include=preference`)).body.preference;
}

/** Another key of the same user. */
async function otherKey(owner: Caller, scopes?: string[]): Promise<Caller> {
  const { body } = await operator().post(`/api/v1/admin/users/${owner.userId}/keys`, {
    name: 'other',
    ...(scopes !== undefined && { scopes }),
  });
  return new Caller(body.api_key, owner.userId, owner.email, body.id);
}

/** How many rows of the eval are left in both tables. */
async function rowsOf(id: string): Promise<number> {
  return onDatabase(worker().databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select ((select count(*) from preferences where eval_id = $1) + (select count(*) from annotations where eval_id = $1))::int as count',
      [id],
    );
    return rows[0]?.count ?? -1;
  });
}

describe('A preference', () => {
  it('is one for each key and eval, replaced by the next, and taken back', async () => {
    const [owner, stranger] = [await createCaller(), await createCaller()];
    const [id, second] = [await evalOf(owner), await otherKey(owner)];
    const kept = await prefer(owner, id, { preferred: 'sim-sage', blind: true, reason: 'It names the source.\u202e' });
    expect(kept).toMatchObject({
      status: 200,
      body: {
        preferred: 'sim-sage',
        blind: true,
        reason: 'It names the source.\u202e',
        created_at: expect.stringMatching(/Z$/),
      },
    });
    expect(await seen(owner, id)).toEqual(kept.body);
    expect(await seen(second, id)).toBeNull();
    expect((await prefer(second, id, { preferred: 'none_good' })).body).toMatchObject({
      preferred: 'none_good',
      blind: false,
      reason: null,
    });
    expect((await prefer(owner, id, { preferred: 'tie' })).body).toMatchObject({
      preferred: 'tie',
      blind: false,
      reason: null,
    });
    expect([await seen(owner, id), await seen(second, id)]).toMatchObject([
      { preferred: 'tie', blind: false, reason: null },
      { preferred: 'none_good', blind: false },
    ]);
    expect((await owner.get('/api/v1/preferences')).body.blind_share).toBe(0);
    for (const [method, body] of [
      ['PUT', { preferred: 'tie' }],
      ['DELETE', undefined],
    ] as const) {
      const [others, missing] = [
        await stranger.call(method, `/api/v1/evals/${id}/preference`, body),
        await stranger.call(method, '/api/v1/evals/eval_01k9z3t5v7x9b1d3f5h7k9m1n3/preference', body),
      ];
      expect([others.status, others.body.error.message]).toEqual([404, missing.body.error.message]);
    }
    for (let time = 0; time < 2; time += 1)
      expect((await owner.delete(`/api/v1/evals/${id}/preference`)).status).toBe(204);
    expect([await seen(owner, id), await seen(second, id)]).toMatchObject([null, { preferred: 'none_good' }]);
  });

  it('is of a model of the eval that answered, an arm by its whole name', async () => {
    const owner = await createCaller();
    const id = await evalOf(
      owner,
      ['sim-swift', 'sim-sage@high', 'sim-quill'],
      'Hello [[sim-quill:fail=content_refused]]',
    );
    for (const [preferred, sentence] of [
      [
        'sim-quill',
        'preferred names a model that did not answer in this eval; choose one of sim-sage@high, sim-swift.',
      ],
      ['sim-sage', 'preferred must be tie, none_good or a model of this eval that answered: sim-sage@high, sim-swift.'],
      ['ties', 'preferred must be tie, none_good or a model of this eval that answered: sim-sage@high, sim-swift.'],
    ])
      expect(await prefer(owner, id, { preferred })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request', param: 'preferred', message: sentence } },
      });
    expect(await seen(owner, id)).toBeNull();
    expect((await prefer(owner, id, { preferred: 'sim-sage@high' })).status).toBe(200);
    expect((await owner.get('/api/v1/preferences')).body).toMatchObject({
      pairs: [{ models: ['sim-sage@high', 'sim-swift'], preferred: { a: 1, b: 0, ties: 0 } }],
      models: [{ model: 'sim-sage@high' }, { model: 'sim-swift' }],
    });
  });

  it('may be of a model of which one sample answered', async () => {
    const owner = await createCaller();
    const { eval_id: id } = (await owner.compare({ prompt: 'Hello', models: MODELS, options: { samples: 2 } })).body;
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(
        `update results set error = '{"code": "timeout", "message": "", "retryable": true}' where eval_id = $1 and (position = 0 or model = 'sim-quill')`,
        [id],
      ),
    );
    expect([
      (await prefer(owner, id, { preferred: 'sim-swift' })).status,
      (await prefer(owner, id, { preferred: 'sim-quill' })).status,
    ]).toEqual([200, 400]);
  });

  it.each([
    [{}, 'preferred'],
    [{ preferred: null }, 'preferred'],
    [{ preferred: '' }, 'preferred'],
    [{ preferred: ['tie'] }, 'preferred'],
    [{ preferred: 'x'.repeat(10_000) }, 'preferred'],
    [{ preferred: 'tie\u0000' }, 'preferred'],
    [{ preferred: 'tie', blind: 'true' }, 'blind'],
    [{ preferred: 'tie', reason: 'x'.repeat(501) }, 'reason'],
    [{ preferred: 'tie', reason: 'a\u0000' }, 'reason'],
    [{ preferred: 'tie', reason: '\ud800' }, 'reason'],
    [{ preferred: 'tie', reason: ' ' }, 'reason'],
    [{ preferred: 'tie', model: 'x' }, 'model'],
  ])('is refused when it is bad, case %#', async (body, param) => {
    expect(await prefer(await createCaller(), 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3', body)).toMatchObject({
      status: 400,
      body: { error: { param } },
    });
  });

  it('is one row after twenty at once, and none after an erasure at the same time', async () => {
    const owner = await createCaller();
    const id = await evalOf(owner);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => prefer(owner, id, { preferred: MODELS[index % 3] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await rowsOf(id)).toBe(1);
    const mixed = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index === 5
          ? owner.delete(`/api/v1/evals/${id}`)
          : index % 2 === 0
            ? prefer(owner, id, { preferred: 'tie' })
            : owner.patch(`/api/v1/evals/${id}`, { starred: true }),
      ),
    );
    expect(mixed.map(({ status }) => [200, 204, 404].includes(status))).toEqual(mixed.map(() => true));
    expect((await prefer(owner, id, { preferred: 'tie' })).status).toBe(404);
    expect(await rowsOf(id)).toBe(0);
  });

  it('needs both scopes to be changed, and is not in a shared eval', async () => {
    const owner = await createCaller();
    const id = await evalOf(owner);
    for (const scopes of [['compare'], ['evals:read']]) {
      const key = await otherKey(owner, scopes);
      expect([
        (await prefer(key, id, { preferred: 'tie' })).status,
        (await key.patch(`/api/v1/evals/${id}`, { starred: true })).status,
      ]).toEqual([403, 403]);
    }
    const mark = `MARK${randomUUID()}`;
    await prefer(owner, id, { preferred: 'sim-sage', reason: mark });
    await owner.patch(`/api/v1/evals/${id}`, { note: mark });
    const { url } = (await owner.post('/api/v1/shares', { subject: id })).body;
    const shared = await owner.get(`/api/v1${url}?include=preference,note`);
    expect([shared.status, shared.text.includes(mark), 'preference' in shared.body, 'note' in shared.body]).toEqual([
      200,
      false,
      false,
      false,
    ]);
  });
});

describe('The counts of preferences', () => {
  it('are by pair and by model, over all keys, without what judges neither', async () => {
    const owner = await createCaller();
    const second = await otherKey(owner);
    // With three models: sage twice, swift once, a tie, none good; with two: sage; where only swift answered: nothing
    // counts.
    for (const preferred of ['sim-sage', 'sim-sage', 'sim-swift', 'tie', 'none_good'])
      await prefer(owner, await evalOf(owner), { preferred, blind: preferred === 'tie' });
    const id = await evalOf(owner, ['sim-swift', 'sim-sage']);
    await prefer(owner, id, { preferred: 'sim-sage' });
    await prefer(second, id, { preferred: 'sim-swift', blind: true });
    await prefer(owner, await evalOf(owner, ['sim-swift', 'sim-sage'], 'Hello [[sim-sage:fail=content_refused]]'), {
      preferred: 'sim-swift',
      blind: true,
    });
    const { status, body } = await owner.get('/api/v1/preferences');
    expect(status).toBe(200);
    expect(body.pairs[0]).toEqual({
      models: ['sim-sage', 'sim-swift'],
      preferred: { a: 3, b: 2, ties: 1 },
      rate: 0.5,
      ci: [0.187616, 0.812384],
      evals: 6,
      neither: 1,
    });
    expect(body.pairs.slice(1)).toMatchObject([
      { models: ['sim-sage', 'sim-quill'], preferred: { a: 2, b: 0, ties: 1 }, evals: 3, neither: 2 },
      { models: ['sim-swift', 'sim-quill'], preferred: { a: 1, b: 0, ties: 1 }, evals: 2, neither: 3 },
    ]);
    expect(body.models).toMatchObject([
      { model: 'sim-sage', preferred: 3, evals: 7, rate: 0.428571 },
      { model: 'sim-swift', preferred: 2, evals: 7 },
      { model: 'sim-quill', preferred: 0, evals: 5, rate: 0, ci: [0, 0.434482] },
    ]);
    expect([body.evals, body.blind_share]).toEqual([7, 0.285714]);
    const two = (await owner.get('/api/v1/preferences?models=sim-swift,sim-sage')).body;
    expect([two.pairs, two.models.map(({ model }: Json) => model)]).toEqual([
      [body.pairs[0]],
      ['sim-sage', 'sim-swift'],
    ]);
    const nothing = { pairs: [], models: [], evals: 0, blind_share: null };
    expect(
      (await owner.get(`/api/v1/preferences?since=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`))
        .body,
    ).toEqual(nothing);
    expect((await owner.get('/api/v1/preferences?since=2020-01-01T00:00:00Z')).body).toEqual(body);
    expect((await (await createCaller()).get('/api/v1/preferences')).body).toEqual(nothing);
    await owner.delete(`/api/v1/evals/${id}`);
    expect((await owner.get('/api/v1/preferences')).body.evals).toBe(5);
  });

  it.each([
    ['models=', 'models'],
    ['models=a,,b', 'models'],
    ['models=a,b,c,d,e,f,g,h,i', 'models'],
    [`models=${'x'.repeat(2000)}`, 'models'],
    ['models=a%00', 'models'],
    ['models=a&models=b', 'models'],
    ['since=yesterday', 'since'],
    ['since=2026-11-01', 'since'],
  ])('are refused for a bad query, case %#', async (query, param) => {
    expect(await (await createCaller()).get(`/api/v1/preferences?${query}`)).toMatchObject({
      status: 400,
      body: { error: { param } },
    });
  });

  it('take the newest 5,000 of a user with 100,000, by the index, and do not reach those of others', async () => {
    const [busy, other] = [await createCaller(), await createCaller()];
    const [old, fresh] = [
      await evalOf(busy, ['sim-swift', 'sim-sage']),
      await evalOf(other, ['sim-swift', 'sim-sage']),
    ];
    await prefer(other, fresh, { preferred: 'sim-swift' });
    await onDatabase(worker().databaseUrl, async (client) => {
      // One eval with the choices of 100,000 keys: what is counted are rows of a user.
      await client.query(
        `insert into preferences (eval_id, key_id, user_id, preferred, answered, blind, created_at)
        select $1, 'key_' || n, $2, case when n <= 5000 then 'sim-sage' else 'sim-swift' end, array['sim-sage', 'sim-swift'], false, now() - n * interval '1 second' from generate_series(1, 100000) as n`,
        [old, busy.userId],
      );
    });
    const { body } = await busy.get('/api/v1/preferences');
    expect([body.evals, body.pairs[0].preferred]).toEqual([5000, { a: 5000, b: 0, ties: 0 }]);
    expect((await other.get('/api/v1/preferences')).body.evals).toBe(1);
    await busy.delete(`/api/v1/evals/${old}`);
    expect(await rowsOf(old)).toBe(0);
  });
});

describe('A note and a star', () => {
  it('are kept apart, for all keys of the user, and shown where they are asked for', async () => {
    const [owner, stranger] = [await createCaller(), await createCaller()];
    const [id, second] = [await evalOf(owner), await otherKey(owner)];
    const path = `/api/v1/evals/${id}`;
    const before = (await owner.get(path)).text;
    expect((await owner.patch(path, {})).body).toEqual({ note: null, starred: false });
    expect((await owner.patch(path, { starred: true })).body).toEqual({ note: null, starred: true });
    expect((await second.patch(path, { note: 'The March prompt.\u202e' })).body).toEqual({
      note: 'The March prompt.\u202e',
      starred: true,
    });
    expect((await owner.patch(path, { starred: false })).body).toEqual({
      note: 'The March prompt.\u202e',
      starred: false,
    });
    expect((await owner.get(`${path}?include=note`)).body).toMatchObject({
      note: 'The March prompt.\u202e',
      starred: false,
    });
    expect((await owner.get('/api/v1/evals?include=note,preference')).body.evals[0]).toMatchObject({
      eval_id: id,
      note: 'The March prompt.\u202e',
      starred: false,
      preference: null,
    });
    expect((await owner.patch(path, { note: null })).body).toEqual({ note: null, starred: false });
    // Without include, an eval and a line of the list stay closed.
    expect((await owner.get(path)).text).toBe(before);
    expect(Object.keys((await owner.get('/api/v1/evals')).body.evals[0])).toEqual([
      'eval_id',
      'prompt',
      'models',
      'created_at',
      'meta',
    ]);
    expect((await stranger.patch(path, { note: 'mine' })).status).toBe(404);
    expect((await stranger.patch('/api/v1/evals/x', { note: 'mine' })).status).toBe(404);
  });

  it.each([
    [{ note: 'x'.repeat(10_000) }, 'note'],
    [{ note: 'x'.repeat(1001) }, 'note'],
    [{ note: 'a\u0000' }, 'note'],
    [{ note: '\udfff' }, 'note'],
    [{ note: 1 }, 'note'],
    [{ note: '' }, 'note'],
    [{ starred: 'yes' }, 'starred'],
    [{ starred: null }, 'starred'],
    [{ star: true }, 'star'],
  ])('are refused when they are bad, case %#', async (body, param) => {
    expect(await (await createCaller()).patch('/api/v1/evals/eval_01k9z3t5v7x9b1d3f5h7k9m1n3', body)).toMatchObject({
      status: 400,
      body: { error: { param } },
    });
  });

  it('lead to the starred evals alone, page by page, also in a search', async () => {
    const [owner, other] = [await createCaller(), await createCaller()];
    const ids: string[] = [];
    for (const word of ['red', 'green', 'red', 'blue', 'red'])
      ids.unshift(await evalOf(owner, ['sim-swift', 'sim-sage'], `A ${word} prompt`));
    for (const at of [0, 2, 3]) await owner.patch(`/api/v1/evals/${ids[at]}`, { starred: true });
    await other.patch(`/api/v1/evals/${await evalOf(other)}`, { starred: true });
    const listed = async (query: string) =>
      ((await owner.get(`/api/v1/evals?${query}`)).body.evals as Json[]).map(({ eval_id: id }) => ids.indexOf(id));
    expect(await listed('starred=true')).toEqual([0, 2, 3]);
    expect(await listed('starred=true&q=RED')).toEqual([0, 2]);
    expect(await listed('starred=true&model=sim-sage')).toEqual([0, 2, 3]);
    expect(await listed('starred=false')).toEqual([0, 1, 2, 3, 4]);
    const first = await owner.get('/api/v1/evals?starred=true&limit=2&include=details,note');
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect([first.body.evals[0].details.free, first.body.evals[0].starred]).toEqual([true, true]);
    expect((await owner.get(next)).body.evals).toMatchObject([{ eval_id: ids[3], starred: true }]);
    expect((await owner.get('/api/v1/evals?starred=true&offset=1')).body.error.param).toBe('offset');
    expect((await owner.get('/api/v1/evals?starred=yes')).body.error.param).toBe('starred');
  });
});
