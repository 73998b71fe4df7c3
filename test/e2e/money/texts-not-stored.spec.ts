import { randomUUID } from 'node:crypto';
import { onDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { worker } from '../../support/worker';

const MODELS = ['sim-swift', 'sim-sage'];
const database = <Row extends object>(sql: string, values: unknown[]) =>
  onDatabase(worker().databaseUrl, async (client) => (await client.query<Row>(sql, values)).rows);

/** A request with a mark in each of its texts, which are also those of the answers. */
function marked(options: object = {}) {
  const mark = `MARK-${randomUUID()}`;
  return {
    mark,
    body: {
      prompt: `[[sim:say=${mark} of the answer]] ${mark} {input}`,
      input: mark,
      models: MODELS,
      options: { store: false, system: mark, history: [{ role: 'user', content: mark }], ...options },
      checks: [{ type: 'contains', values: [mark] }],
    },
  };
}

/** Every table of the database in which a text is. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await database<{ t: string }>(
    `select table_name as t from information_schema.tables where table_schema = 'public'`,
    [],
  );
  const found = await Promise.all(
    tables.map(async ({ t }) =>
      (await database(`select from "${t}" as row where strpos(row::text, $1) > 0 limit 1`, [text])).length > 0
        ? [t]
        : [],
    ),
  );
  return found.flat();
}

describe('A compare with `store: false`', () => {
  it('answers with everything, keeps no text, and is charged like any other', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { mark, body } = marked({ samples: 2 });
    const {
      status,
      headers,
      body: answer,
    } = await caller.post('/api/v1/compare?include=details,checks,statistics', body);
    expect([status, headers.get('location')]).toEqual([200, null]);
    expect(answer).toMatchObject({
      prompt: body.prompt,
      details: { input: mark, options: { system: mark } },
      checks: { by_model: [{ passed: 2 }, { passed: 2 }] },
      statistics: { models: [{ answered: 2 }, { answered: 2 }] },
    });
    expect(answer.results.map(({ output }: { output: string }) => output)).toEqual(
      Array(4).fill(`${mark} of the answer`),
    );
    expect(await tablesWith(mark)).toEqual([]);
    expect(await caller.usage()).toMatchObject({ eval_count: 1, total_charge_usd: answer.details.charge_usd });
    expect((await caller.get('/api/v1/usage/breakdown?by=model')).text).toMatch(/sim-sage.*sim-swift/);
    const [erased] = await database<{ summaries: object[] }>(
      'select result_summaries as summaries from erased_evals where eval_id = $1 and user_id = $2',
      [answer.eval_id, caller.userId],
    );
    expect(erased?.summaries).toEqual(
      answer.results.map(
        ({ model, cost_usd, input_tokens, output_tokens }: Record<string, unknown>, position: number) => ({
          position,
          model,
          cost: expect.stringMatching(String(Number(cost_usd) * 1e7).slice(0, 2)),
          input_tokens,
          output_tokens,
          details: expect.objectContaining({ vendorModel: model, charge: expect.any(String) }),
        }),
      ),
    );
    const id = answer.eval_id as string;
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/rerun'],
      ['GET', '/drift'],
      ['GET', '/agreement'],
      ['DELETE', ''],
    ] as const)
      expect([path, (await caller.call(method, `/api/v1/evals/${id}${path}`)).status]).toEqual([path, 404]);
    expect((await caller.post('/api/v1/shares', { subject: id })).status).toBe(404);
    expect((await caller.get('/api/v1/evals')).body.evals).toEqual([]);
  });

  it('uses a free eval, like any other', async () => {
    const caller = await createCaller({ freeQuota: 1 });
    expect((await caller.compare(marked().body)).status).toBe(200);
    expect(await caller.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 0, total_charge_usd: 0 });
  });

  it('streams, and says the whole eval last', async () => {
    const caller = await createCaller();
    const { mark, body } = marked();
    const { text } = await caller.compare(body, { headers: { accept: 'text/event-stream' } });
    const last = /event: eval\ndata: (?<json>.*)/.exec(text)?.groups?.['json'] ?? '{}';
    expect(JSON.parse(last)).toMatchObject({
      prompt: body.prompt,
      results: [{ output: `${mark} of the answer` }, { output: `${mark} of the answer` }],
    });
    expect(await tablesWith(mark)).toEqual([]);
  });

  it('leaves its Idempotency-Key to stand for the charge', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const [{ body }, headers] = [marked(), { 'idempotency-key': randomUUID() }];
    const send = async (sent: object) => {
      const {
        status,
        body: { error },
      } = await caller.compare(sent, { headers });
      return [status, error?.code];
    };
    expect(await send(body)).toEqual([200, undefined]);
    expect(await send(body)).toEqual([410, 'eval_erased']);
    expect(await send({ ...body, options: { ...body.options, system: 'another' } })).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect(await send({ ...body, options: { ...body.options, store: true } })).toEqual([422, 'idempotency_key_reused']);
    expect(await caller.usage()).toMatchObject({ eval_count: 1 });
  });

  it.each(['/api/v1/compare', '/api/v1/compare/estimate'])(
    'is refused by POST %s in the background, where the answer could not be read',
    async (path) => {
      const {
        status,
        body: { error },
      } = await (await createCaller()).post(path, marked().body, { headers: { prefer: 'respond-async, wait=30' } });
      expect({ status, ...error }).toMatchObject({
        status: 400,
        code: 'invalid_request',
        param: 'options.store',
        message: expect.stringContaining('Prefer: respond-async'),
      });
    },
  );
});
