import { randomUUID } from 'node:crypto';
import { Api, type Json } from '../../support/api';
import { columnsWith } from '../../support/database';
import { endedExperiment, startedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { exact, sumOf, timesOf } from '../../support/ledger';
import { ended, queue } from '../../support/runs';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const STRICT = ['claude-sonnet-5-5', 'gemini-3.8-flash', 'mistral-large-4', 'deepseek-v4-pro'];
const MODELS = ['gpt-6.2-sol', ...STRICT];
const SENTENCES = {
  joined: 'This model needs alternating turns; those of one role in a row were joined.',
  opened: 'This model needs a turn of the user first; (The assistant begins.) was sent.',
};

/** The messages that each model got in a run, without the script of the vendor. */
async function sentTo(run: string): Promise<Record<string, Json[]>> {
  const { calls } = await vendorLog(worker().vendorUrl, run);
  const messages = (body: Json) =>
    (body.messages as Json[]).map(({ role, content }) => ({
      role,
      content: String(content).replace(/\s*#vendor\{.*\}#/s, ''),
    }));
  return Object.fromEntries(calls.map(({ model, body }) => [model, messages(body)]));
}

describe('The turns of a compare', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller({ freeQuota: 0 });
  });
  const compare = (history: unknown, members: object = {}, headers = {}) =>
    caller.compare({ prompt: 'Go on.', models: ['sim-swift'], ...members, options: { history } }, { headers: headers });

  it.each<[string, unknown, string]>([
    ['101 turns', Array(101).fill(user('x')), ' must be an array of 1 to 100 turns.'],
    ['an empty list', [], ' must be an array of 1 to 100 turns.'],
    ['no list', { role: 'user', content: 'x' }, ' must be an array of 1 to 100 turns.'],
    ['null', null, ' must be an array of 1 to 100 turns.'],
    ['an empty text', [user('')], '[0].content must not be empty or only white space.'],
    ['a blank text', [user('x'), assistant(' \n')], '[1].content must not be empty or only white space.'],
    ['another role', [{ role: 'system', content: 'x' }], '[0].role must be one of user, assistant.'],
    ['a tool', [{ role: 'tool', content: 'x' }], '[0].role must be one of user, assistant.'],
    ['an unknown member', [{ ...user('x'), name: 'y' }], '[0] must have the members role and content only.'],
    ['no content', [{ role: 'user' }], '[0].content is required.'],
    ['parts', [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], '[0].content must be a string.'],
    ['null as a turn', [null], '[0] must be an object.'],
    ['a text as a turn', ['x'], '[0] must be an object.'],
    ['U+0000', [user('a\u0000')], '[0].content must not contain U+0000 or lone surrogates.'],
    ['half a pair', [user('\ud800')], '[0].content must not contain U+0000 or lone surrogates.'],
    [
      'a megabyte',
      Array(10).fill(user('x'.repeat(100_000))),
      ' must not be longer than 160,000 characters, all turns together.',
    ],
  ])('are refused with %s', async (_, history, problem) => {
    const { status, body } = await compare(history);
    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      'invalid_request',
      `options.history${problem}`,
    ]);
    expect(body.error.param).toMatch(/^options\.history/);
  });

  it('are refused where they are too long once filled, before they are built', async () => {
    const { status, body } = await compare([user('{input}'.repeat(20_000))], { input: 'x'.repeat(100_000) });
    expect([status, body.error.param]).toEqual([400, 'options.history']);
    expect(body.error.message).toBe(
      'With {input} replaced, the turns would be 2,000,000,000 characters long; the maximum is 160,000.',
    );
  });

  it('reach every vendor as it wants them, with a sentence for each change, and none where nothing changes', async () => {
    const send = async (history: object[]) => {
      const run = randomUUID();
      const { status, body } = await compare(history, { prompt: `Go on.\n${vendorScript(run, {})}`, models: MODELS });
      expect([status, body.results.map(({ error }: Json) => error)]).toEqual([200, MODELS.map(() => undefined)]);
      const warnings = body.results.map(({ warnings: given = [] }: Json) =>
        (given as Json[]).filter(({ code }) => code === 'history_adapted').map(({ message }) => message as string),
      );
      return { sent: await sentTo(run), warnings };
    };
    const good = [user('Hello.'), assistant('Hi!')];
    const plain = await send(good);
    const last = user('Go on.');
    for (const model of MODELS) expect([model, plain.sent[model]]).toEqual([model, [...good, last]]);
    expect(plain.warnings.flat()).toEqual([]);
    const twice = await send([assistant('Hi!'), user('Hello.'), user('So?')]);
    expect(twice.warnings).toEqual([[], ...STRICT.map(() => [SENTENCES.opened, SENTENCES.joined])]);
    expect(twice.sent['gpt-6.2-sol']).toEqual([assistant('Hi!'), user('Hello.'), user('So?'), last]);
    for (const model of STRICT)
      expect([model, twice.sent[model]]).toEqual([
        model,
        [user('(The assistant begins.)'), assistant('Hi!'), user('Hello.\n\nSo?\n\nGo on.')],
      ]);
  });

  it('take the input in place of {input} in one pass, and only then is it not appended', async () => {
    const run = randomUUID();
    const input = "$& {input} $'";
    const history = [user('About {input}'), assistant('{Input}')];
    await compare(history, { prompt: `Go on.\n${vendorScript(run, {})}`, models: ['gpt-6.2-sol'], input });
    expect((await sentTo(run))['gpt-6.2-sol']).toEqual([user(`About ${input}`), assistant('{Input}'), user('Go on.')]);
    const { body } = await compare(history);
    expect(body.results[0].warnings).toEqual([
      { code: 'input_missing', message: expect.stringMatching(/^The history contains/) },
    ]);
  });

  it('are counted by the quote byte for byte, and billed as the vendor counts them', async () => {
    const [model] = MODELS;
    const most = async (history?: object[]) =>
      (await caller.post('/api/v1/compare/estimate', { prompt: 'Go on.', models: [model], options: { history } })).body
        .models[0].cost_usd.most as number;
    const perToken = (await most([user('xx')])) - (await most([user('x')]));
    expect(await most([user('é'.repeat(1000)), assistant('x')])).toBeCloseTo((await most()) + perToken * 2037, 9);
    const own = await createCaller({ freeQuota: 0 });
    const history = [user('a'.repeat(5000)), assistant('b'.repeat(5000))];
    const script = vendorScript(randomUUID(), { '*': { inputTokens: 9000, outputTokens: 7 } });
    const body = { prompt: script, models: [model], options: { history } };
    const { text } = await own.post('/api/v1/compare?include=details', body);
    const { results, details, eval_id: id } = exact(text);
    const { cost_usd: cost, input_tokens: tokens, details: call } = results[0];
    expect([tokens, results[0].warnings]).toEqual(['9000', undefined]);
    const { input_per_1m: input, output_per_1m: output } = call.prices;
    expect(cost).toBe(sumOf([timesOf(input, 9000n, 1_000_000n), timesOf(output, 7n, 1_000_000n)]));
    expect(details.charge_usd).toBe(sumOf([cost, timesOf(cost, 4n, 10n)]));
    expect(exact((await own.get(`/api/v1/evals/${id}?include=details`)).text).details).toEqual(details);
    expect(exact((await own.get('/api/v1/usage')).text).total_charge_usd).toBe(details.charge_usd);
  });

  it('belong to an Idempotency-Key, a rerun and a run in the background; a drift names them, and nothing else shows', async () => {
    const history = [user('Hello.'), assistant('Hi!')];
    const headers = { 'idempotency-key': randomUUID() };
    const first = await compare(history, {}, headers);
    const again = await compare(history, {}, headers);
    expect([again.status, again.body.eval_id]).toEqual([200, first.body.eval_id]);
    const other = await compare([user('Hello.'), assistant('Hi?')], {}, headers);
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
    const queued = await queue(caller, { prompt: 'Go on.', models: ['sim-swift'], options: { history } });
    await ended(caller, queued.body.run_id, 'succeeded');
    const rerun = await caller.post(`/api/v1/evals/${first.body.eval_id}/rerun`);
    const stored = [first, queued, rerun].map(({ body }) => body.eval_id as string);
    for (const id of stored) {
      const { details, results } = (await caller.get(`/api/v1/evals/${id}?include=details`)).body;
      expect([details.options.history, results[0].output]).toEqual([history, first.body.results[0].output]);
      expect(JSON.stringify(results)).not.toContain('Hi!');
    }
    const changed = async (id: string) =>
      (await caller.get(`/api/v1/evals/${id}/drift?against=${stored[0]}`)).body.request_changed;
    expect(await changed(stored[2] ?? '')).toEqual([]);
    const another = (await compare([user('Hello.')])).body;
    expect(await changed(another.eval_id)).toEqual(['options.history']);
    expect(another.results[0].output).not.toBe(first.body.results[0].output);
  });

  it('are left out of a share with the prompt, and hide names in a blind one', async () => {
    const mark = `MARK-${randomUUID()}`;
    const { body } = await compare([user(`sim-swift? ${mark}`)], { models: ['sim-swift', 'sim-quill'] });
    const shared = async (redact: string[]) => {
      const { token } = (await caller.post('/api/v1/shares', { subject: body.eval_id, redact })).body;
      return new Api(undefined).get(`/api/v1/shared/${token}`);
    };
    expect((await shared([])).body.history).toEqual([user(`sim-swift? ${mark}`)]);
    const hidden = await shared(['prompt']);
    expect([hidden.text.includes(mark), 'history' in hidden.body]).toEqual([false, false]);
    expect((await shared(['models'])).body.history[0].content).toMatch(new RegExp(`^Model [AB]\\? ${mark}$`));
  });
});

describe('The turns of rows', () => {
  const models = ['gpt-6.2-sol', 'mistral-large-4'];
  const mark = `TURN-${randomUUID()}`;
  const rows = [
    {
      id: 'with',
      input: 'one',
      history: [user('{input} {x}'), assistant(`${mark} {y}`)],
      variables: { x: '1', y: '2' },
    },
    { id: 'without', input: 'two', variables: { x: '3', y: '4' } },
  ];
  const cell = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const FORMATS: [type: string, body: string | object][] = [
    ['application/x-ndjson', rows.map((row) => JSON.stringify(row)).join('\n')],
    ['application/json', JSON.stringify({ rows })],
    ['text/csv', `id,history,x,y,input\nwith,${cell(rows[0]?.history)},1,2,one\nwithout,,3,4,two\n`],
  ];
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller({ freeQuota: 0 });
  });

  async function experiment(dataset: string, members: Json = {}): Promise<{ id: string; run: string }> {
    const run = randomUUID();
    const { status, body } = await startedExperiment(caller, {
      dataset,
      prompt: `Go on.\n${vendorScript(run, {})}`,
      models,
      max_cost_usd: 1,
      ...members,
    });
    expect([status, body.error]).toEqual([202, undefined]);
    await endedExperiment(caller, body.experiment_id);
    return { id: body.experiment_id as string, run };
  }

  it('are one data set in every format, and go to the vendors unchanged after those of the options', async () => {
    const ids: string[] = [];
    for (const [type, content] of FORMATS) {
      const { status, body } = await caller.post('/api/v1/datasets?name=turns', content, {
        headers: { 'content-type': type },
      });
      expect([201, 200]).toContain(status);
      ids.push(body.dataset_id);
    }
    expect(new Set(ids).size).toBe(1);
    const [dataset = ''] = ids;
    const listed = (await caller.get(`/api/v1/datasets/${dataset}/rows`)).body.rows as Json[];
    const shown = Object.fromEntries(listed.map(({ id, history }) => [id, history]));
    expect(shown).toEqual({ with: rows[0]?.history, without: null });

    const history = [user('Say {input} {x}.'), assistant('Yes.')];
    const { id, run } = await experiment(dataset, { options: { history } });
    const { calls } = await vendorLog(worker().vendorUrl, run);
    const sent = calls.map(({ model, body }) => [
      model,
      ...(body['messages'] as Json[]).map(({ content }) => String(content).replace(/\s*#vendor\{.*\}#/s, '')),
    ]);
    for (const model of models) {
      expect(sent).toContainEqual([model, 'Say one 1.', 'Yes.', '{input} {x}', `${mark} {y}`, 'Go on.']);
      expect(sent).toContainEqual([model, 'Say two 3.', 'Yes.', 'Go on.']);
    }
    expect(sent).toHaveLength(4);

    const path = `/api/v1/experiments/${id}`;
    const answered = (await caller.get(`${path}/rows`)).body.rows as Json[];
    expect(Object.fromEntries(answered.map((row) => [row.row_id, row.history]))).toEqual({
      with: rows[0]?.history,
      without: undefined,
    });
    const csv = await caller.get(`${path}/rows`, { headers: { accept: 'text/csv' } });
    expect(csv.text).toContain(cell(rows[0]?.history));
    const other = await experiment(dataset, { options: { history: [user('Other.')] } });
    expect((await caller.get(`${path}/comparison?against=${other.id}`)).body.request_changed).toEqual([
      'prompt',
      'options.history',
    ]);

    expect((await columnsWith(worker().databaseUrl, mark)).sort()).toEqual(['dataset_rows.history', 'evals.options']);
    for (const one of [id, other.id]) {
      await caller.delete(`/api/v1/experiments/${one}`);
      await eventually(
        'it is erased',
        async () => (await caller.get(`/api/v1/experiments/${one}`)).body.state === 'erased',
      );
    }
    expect((await caller.delete(`/api/v1/datasets/${dataset}`)).status).toBe(204);
    for (const text of [mark, 'Say {input} {x}.', 'Say one 1.'])
      expect([text, await columnsWith(worker().databaseUrl, text)]).toEqual([text, []]);
  });

  it('must fit beside those of the options, or the row fails with a sentence', async () => {
    const content = { rows: [{ input: 'a', history: Array(60).fill(user('x')) }, { input: 'b' }] };
    const { dataset_id: dataset } = (await caller.post('/api/v1/datasets', content)).body;
    const { id } = await experiment(dataset, {
      models: ['sim-swift'],
      options: { history: Array(41).fill(user('y')) },
    });
    const answered = (await caller.get(`/api/v1/experiments/${id}/rows`)).body.rows as Json[];
    expect(Object.fromEntries(answered.map((row) => [row.input, row.error?.message ?? row.state]))).toEqual({
      a: 'With this row, there are 101 turns; at most 100 are possible.',
      b: 'done',
    });
  });

  it('may name only columns that every row has', async () => {
    const content = { rows: [{ input: 'a', variables: { x: '1' } }, { input: 'b' }] };
    const { dataset_id: dataset } = (await caller.post('/api/v1/datasets', content)).body;
    const { status, body } = await caller.post('/api/v1/experiments', {
      dataset,
      prompt: '{input}',
      models: ['sim-swift'],
      max_cost_usd: 1,
      options: { history: [user('{x}')] },
    });
    expect([status, body.error.param]).toEqual([400, 'options.history[0].content']);
  });
});
