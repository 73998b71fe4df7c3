import { randomUUID } from 'node:crypto';
import { Api, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { ended } from '../../support/runs';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const MODELS = ['gpt-6.2-sol', 'claude-sonnet-5-5', 'gemini-3.8-flash', 'mistral-large-4'];

/** Options with a mark in each text, and members of a schema in an order that is not that of their names. */
const optionsWith = (mark: string) => ({
  system: `You are gpt-6.2-sol. ${mark} {input}`,
  history: [
    { role: 'user', content: `Are you gpt-6.2-sol? ${mark}` },
    { role: 'assistant', content: 'I am.' },
  ],
  reasoning_effort: 'high',
  reasoning_tokens: 700,
  response_format: {
    type: 'json_schema',
    schema: { type: 'object', properties: { z: { const: mark }, a: { type: 'string' } }, additionalProperties: false },
  },
  exact_model: false,
});

/** The bodies that the vendors got in a run, in the order of the models. */
async function bodiesOf(run: string): Promise<unknown[]> {
  const { calls } = await vendorLog(worker().vendorUrl, run);
  return MODELS.map((model) => calls.filter((call) => call.model === model).map(({ body }) => JSON.stringify(body)));
}

describe('The options of an eval', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller({ freeQuota: 0 });
  });

  it('are the same in its details, when it is run again, and in the background', async () => {
    const run = randomUUID();
    const options = { ...optionsWith(randomUUID()), max_tokens: 300 };
    const body = { prompt: vendorScript(run, {}), models: MODELS, options };
    const first = (await caller.compare(body)).body.eval_id as string;
    const queued = await caller.compare(body, { headers: { prefer: 'respond-async' } });
    await ended(caller, queued.body.run_id, 'succeeded');
    const again = await caller.post(`/api/v1/evals/${first}/rerun`);
    for (const id of [first, queued.body.eval_id, again.body.eval_id]) {
      const {
        body: { details },
      } = await caller.get(`/api/v1/evals/${id}?include=details`);
      expect(details.options).toEqual({ temperature: 0.7, ...options });
      expect(Object.keys(details.options.response_format.schema.properties)).toEqual(['z', 'a']);
    }
    for (const bodies of (await bodiesOf(run)) as string[][]) {
      // Those in the background are streamed.
      const plain = bodies.map((one) =>
        JSON.stringify({ ...(JSON.parse(one) as object), stream: undefined, stream_options: undefined }),
      );
      expect([plain.length, new Set(plain).size]).toEqual([3, 1]);
      expect(plain[0]).toContain('{input}');
    }
    const {
      body: { request_changed },
    } = await caller.get(`/api/v1/evals/${again.body.eval_id}/drift`);
    expect(request_changed).toEqual([]);
  });

  it('are named by a drift where they changed', async () => {
    const compare = async (options: object) =>
      (await caller.compare({ prompt: 'Hello', models: ['sim-swift'], options })).body.eval_id as string;
    const [before, after] = [
      await compare(optionsWith('a')),
      await compare({ ...optionsWith('b'), reasoning_effort: 'low', reasoning_tokens: 0, exact_model: true }),
    ];
    const reordered = {
      ...optionsWith('a'),
      response_format: {
        type: 'json_schema',
        schema: {
          additionalProperties: false,
          properties: { a: { type: 'string' }, z: { const: 'a' } },
          type: 'object',
        },
      },
    };
    expect(
      (await caller.get(`/api/v1/evals/${await compare(reordered)}/drift?against=${before}`)).body.request_changed,
    ).toEqual(['options.response_format']);
    const names = ['system', 'history', 'reasoning_effort', 'reasoning_tokens', 'response_format', 'exact_model'].map(
      (name) => `options.${name}`,
    );
    for (const [id, against] of [
      [after, before],
      [after, await compare({})],
    ])
      expect((await caller.get(`/api/v1/evals/${id}/drift?against=${against}`)).body.request_changed).toEqual(names);
  });

  it.each(Object.keys(optionsWith('')))('belong to the request of an Idempotency-Key: %s', async (name) => {
    const headers = { 'idempotency-key': randomUUID() };
    const options: Record<string, unknown> = optionsWith('a');
    const send = async (sent: object) =>
      (await caller.compare({ prompt: 'Hello', models: ['sim-swift'], options: sent }, { headers })).status;
    const other = {
      ...options,
      [name]: { ...optionsWith('b'), reasoning_effort: 'low', reasoning_tokens: 1, exact_model: true }[
        name as 'system'
      ],
    };
    expect([
      await send(options),
      await send(options),
      await send(other),
      await send({ ...options, [name]: undefined }),
    ]).toEqual([200, 200, 422, 422]);
  });

  it('show their system message and turns in a share, unless that leaves the prompt out, and hide models in it where it is blind', async () => {
    const {
      body: { eval_id: subject },
    } = await caller.compare({ prompt: 'Hello', models: ['gpt-6.2-sol', 'sim-swift'], options: optionsWith('MARK') });
    const shared = async (redact: string[]) => {
      const {
        body: { token },
      } = await caller.post('/api/v1/shares', { subject, redact });
      return (await new Api(undefined).get(`/api/v1/shared/${token}`)) as { text: string; body: Json };
    };
    expect((await shared([])).body.system).toBe('You are gpt-6.2-sol. MARK {input}');
    expect((await shared(['prompt'])).text).not.toContain('MARK');
    expect((await shared([])).body.history).toEqual(optionsWith('MARK').history);
    expect((await shared(['models'])).body.history[0].content).toMatch(/^Are you Model [AB]\? MARK$/);
    expect((await shared(['models'])).body.system).toMatch(/^You are Model [AB]\. MARK \{input\}$/);
  });

  it('are erased with the eval', async () => {
    const mark = `MARK-${randomUUID()}`;
    const {
      body: { eval_id: id },
    } = await caller.compare({ prompt: 'Hello', models: ['sim-swift'], options: optionsWith(mark) });
    const kept = () =>
      onDatabase(worker().databaseUrl, async (client) => {
        const { rows } = await client.query<{ t: string }>(
          `select table_name as t from information_schema.tables where table_schema = 'public'`,
        );
        const found: string[] = [];
        for (const { t } of rows)
          if ((await client.query(`select from "${t}" as row where strpos(row::text, $1) > 0`, [mark])).rowCount)
            found.push(t);
        return found;
      });
    expect(await kept()).toEqual(['evals']);
    expect((await caller.delete(`/api/v1/evals/${id}`)).status).toBe(204);
    expect(await kept()).toEqual([]);
  });
});
