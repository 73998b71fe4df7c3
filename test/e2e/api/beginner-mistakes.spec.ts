import { Api, operator } from '../../support/api';
import { createCaller } from '../../support/factories';
import { leastWithin } from '../../support/timing';

const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const MAX_MS = 2000;
const UNKNOWN = 'This key does not exist, was revoked or has expired.';

describe("A beginner's mistake", () => {
  it('with the key is named, and nothing is said about which keys exist', async () => {
    const [caller, other] = [await createCaller(), await createCaller()];
    const key = other.key ?? '';
    await operator().delete(`/api/v1/admin/keys/${other.keyId}`);
    const wellFormed = `${key.slice(0, 20)}${key[20] === 'x' ? 'y' : 'x'}${key.slice(21)}`;
    const sentences = [];
    const ways: Record<string, string>[] = [
      {},
      { 'x-api-key': key },
      ...[
        '',
        'Basic eDp5',
        'Bearer',
        key,
        `Bearer Bearer ${key}`,
        `Bearer '${key}'`,
        'Bearer $KEY',
        'Bearer sk-proj-1',
        `Bearer ${key.slice(1)}`,
        `Bearer ${key.slice(0, -1)}`,
      ].map((authorization) => ({ authorization })),
    ];
    for (const headers of ways) {
      const { status, body } = await new Api(undefined).get('/api/v1/key', { headers });
      expect([status, body.error.code, body.error.details]).toEqual([
        401,
        'unauthorized',
        { docs: '/docs/guide/errors#unauthorized' },
      ]);
      sentences.push(body.error.message);
    }
    expect(new Set(sentences).size).toBe(11);
    for (const secret of [key, wellFormed])
      expect((await new Api(secret).get('/api/v1/key')).body.error.message).toBe(UNKNOWN);
    expect((await new Api('secret').get('/api/v1/admin/users')).body.error.message).toBe(UNKNOWN);
    expect((await caller.get('/api/v1/key')).status).toBe(200);
  });

  it('with a model is answered with the nearest ids that the key may call', async () => {
    const caller = await createCaller();
    const narrow = await createCaller();
    await operator().patch(`/api/v1/admin/keys/${narrow.keyId}`, { allowed_models: ['sim-sage'] });
    const messageFor = async (models: string[], api: Api = caller) =>
      (await api.post('/api/v1/compare', { prompt: 'Hello', models })).body.error.message;
    expect(await messageFor(['sim-swfit', 'Sim-Sage', 'sim-swift,sim-sage'])).toBe(
      'Unknown or unavailable models: sim-swfit (perhaps sim-swift was meant), Sim-Sage (perhaps sim-sage was meant), ' +
        'sim-swift,sim-sage (each id is an element of models by itself); GET /api/v1/models lists the available models.',
    );
    expect(await messageFor(['sim-swfit'], narrow)).toBe(
      'Unknown or unavailable models: sim-swfit; GET /api/v1/models lists the available models.',
    );
  });

  it('with the habits of a chat endpoint is answered with what to do', async () => {
    const caller = await createCaller();
    const { error } = (await caller.post('/api/v1/compare', { ...ORDER, messages: [], stream: true })).body;
    expect(error.details).toEqual({
      problems: [
        {
          param: 'messages',
          message:
            'messages is not a member of this request; prompt takes the last text, options.history earlier turns, and options.system a system message.',
        },
        {
          param: 'stream',
          message:
            'stream is not a member of this request; POST /api/v1/compare streams with the header Accept: text/event-stream.',
        },
      ],
      docs: '/docs/guide/errors#invalid_request',
    });
    expect((await caller.post('/v1/chat/completions', {})).body.error.message).toContain('this is no chat endpoint');
  });

  it('with the member of a check is taken, where only one thing can be meant', async () => {
    const caller = await createCaller();
    const compared = (checks: object[]) =>
      caller.post('/api/v1/compare?include=checks', { prompt: '[[sim:say=Paris]]', models: ['sim-swift'], checks });
    const { body } = await compared([
      { type: 'contains', value: 'Paris' },
      { type: 'contains', value: 'Rome', not: true },
    ]);
    expect(body.results[0].checks.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pass', 'pass']);
    expect((await caller.get(`/api/v1/evals/${body.eval_id}?include=checks`)).body).toEqual(body);
    const refused = async (check: object) => (await compared([check])).body.error.message;
    expect(await refused({ type: 'contains', value: 'a', values: ['b'] })).toBe(
      'checks[0].value is not a member of this request; perhaps values was meant.',
    );
    expect(await refused({ type: 'contains', value: 7 })).toBe('checks[0].values[0] must be a string.');
    expect(await refused({ type: 'regex', value: 'a' })).toBe('checks[0].value is not a member of this request.');
  });

  it('with the eval of a share is answered with the member that takes it', async () => {
    const { error } = (
      await (await createCaller()).post('/api/v1/shares', { eval_id: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3' })
    ).body;
    expect(error.details.problems).toContainEqual({
      param: 'eval_id',
      message: 'eval_id is not a member of this request; subject takes the id.',
    });
  });

  it('with the address or the method is answered with what there is', async () => {
    const caller = await createCaller();
    for (const path of ['/v1/compare', '/api/compare', '/api/v1/compare/', '/compares']) {
      expect((await caller.post(path, ORDER)).body.error.message).toBe(
        'No such route or resource; perhaps POST /api/v1/compare was meant.',
      );
    }
    expect((await caller.get('/api/v1/compare')).body.error.message).toBe(
      'This endpoint does not support that method; it supports POST.',
    );
    expect((await caller.get(`/${'compare/'.repeat(1000)}`)).body.error.message).toBe('No such route or resource.');
  });

  it.each([
    ['{"prompt": "x",\n "models": [],}', 'line 2, column 15'],
    ["{'prompt': 1}", 'line 1, column 2'],
    ['[1,,]', "unexpected character ','"],
    ['{"prompt":', 'unexpected end'],
    ['{"__proto__": 1}', ''],
  ])('in JSON is named with its place: %s', async (sent, place) => {
    const { status, body } = await (await createCaller()).call('POST', '/api/v1/compare', sent);
    expect([status, body.error.message]).toEqual([
      400,
      `The body is not valid JSON${place === '' ? '' : ` (${place})`}.`,
    ]);
  });

  it('of ten thousand kinds is answered soon, and shortly', async () => {
    const caller = await createCaller();
    const answeredAfterMs = async () => {
      const begunMs = performance.now();
      const { status, text } = await caller.post('/api/v1/compare', {
        ...ORDER,
        ...Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`messages${index}`, 1])),
      });
      expect([status, text.length < 5000]).toEqual([400, true]);
      return performance.now() - begunMs;
    };
    expect(await leastWithin(MAX_MS, answeredAfterMs)).toBeLessThanOrEqual(MAX_MS);
  });
});
