import { randomUUID } from 'node:crypto';
import type { Answer, Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { exact, sumOf, timesOf, chargedOf, verifyLedger } from '../../support/ledger';
import { ended } from '../../support/runs';
import { startService, type ServiceProcess } from '../../support/service';
import { vendorLog } from '../../support/vendor/vendor-log';
import { vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const MISSING = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';

const rerun = (caller: Caller, id: string, headers: Record<string, string> = {}, query = ''): Promise<Answer<Json>> =>
  caller.post(`/api/v1/evals/${id}/rerun${query}`, undefined, { headers });
const details = (caller: Caller, id: string) => caller.get(`/api/v1/evals/${id}?include=details,checks`);
/** The parts of an eval that must not differ between two runs. */
const comparable = ({ text }: Answer<Json>) =>
  text.replace(
    /"(eval_id|created_at|fastest_model)":"[^"]*"|"(latency_ms|duration_ms|ttft_ms|tokens_per_second)":[\d.]+/g,
    '',
  );

async function evalOf(caller: Caller, body: object): Promise<string> {
  const { status, body: stored, text } = await caller.compare(body);
  if (status !== 200) throw new Error(text);
  return stored.eval_id as string;
}

describe('An eval that is run again', () => {
  let databaseUrl: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('reruns');
    service = await startService({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
  });
  afterAll(() => service.stop());

  it('is another eval of the same prompt, input, models, options, samples and checks, and is not changed', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const body = {
      prompt: 'Say {input}. [[sim-quill:fail=rejected]]',
      input: 'no',
      models: ['sim-swift', 'sim-quill', 'sim-sage'],
      options: { temperature: 0.3, max_tokens: 9, samples: 2 },
      checks: [
        { type: 'contains', values: ['e'], name: 'has-e' },
        { type: 'length', max: 5 },
        { type: 'regex', pattern: 'q+', not: true, weight: 2 },
        { type: 'cost', max_usd: 0.001 },
        { type: 'json' },
      ],
    };
    const id = await evalOf(caller, body);
    const before = await details(caller, id);
    const again = await rerun(caller, id);
    const { eval_id: newId } = again.body;
    expect([
      again.status,
      again.headers.get('location'),
      again.headers.get('link'),
      again.headers.get('idempotency-replayed'),
    ]).toEqual([200, `/api/v1/evals/${newId}`, `</api/v1/evals/${id}>; rel="original"`, null]);
    expect(newId).not.toBe(id);
    expect(comparable(await details(caller, newId))).toBe(comparable(before));
    expect((await details(caller, id)).text).toBe(before.text);
    expect(again.text).toBe((await caller.get(`/api/v1/evals/${newId}`)).text);
    const rows = await onDatabase(
      databaseUrl,
      async (client) =>
        (await client.query('select id, rerun_of from evals where user_id = $1 order by id', [caller.userId])).rows,
    );
    expect(rows).toEqual([
      { id, rerun_of: null },
      { id: newId, rerun_of: id },
    ]);
    const costs = await Promise.all(
      [id, newId].map(
        async (one) => exact((await caller.get(`/api/v1/evals/${one}`)).text).meta.total_cost_usd as string,
      ),
    );
    expect(await chargedOf(caller)).toBe(timesOf(sumOf(costs), 14n, 10n));
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('asks its models for what they were asked before', async () => {
    const caller = await createCaller();
    const run = randomUUID();
    // gpt-5.5 takes no temperature, which is only said where one was given.
    for (const options of [{}, { temperature: 0.7 }, { temperature: 0.1, max_tokens: 77 }]) {
      const id = await evalOf(caller, {
        prompt: vendorScript(`${run}${JSON.stringify(options).length}`, {}),
        models: ['gpt-5.4-mini', 'gpt-6-luna'],
        options,
      });
      const { body } = await details(caller, id);
      const again = await details(caller, (await rerun(caller, id)).body.eval_id);
      expect(again.body.results.map(({ warnings, details: { applied } }: Json) => [warnings, applied])).toEqual(
        body.results.map(({ warnings, details: { applied } }: Json) => [warnings, applied]),
      );
      const { calls } = await vendorLog(worker().vendorUrl, `${run}${JSON.stringify(options).length}`);
      const bodies = calls.map((call) => JSON.stringify([call.model, call.body]));
      expect([bodies.length, new Set(bodies).size]).toEqual([4, 2]);
    }
  });

  it('can be run again in turn, as a stream, and with more of itself to be seen', async () => {
    const caller = await createCaller();
    const id = await evalOf(caller, { prompt: 'Hello', models: ['sim-swift'] });
    const stream = await rerun(caller, id, { accept: 'text/event-stream' });
    expect([stream.status, stream.headers.get('link')]).toEqual([200, `</api/v1/evals/${id}>; rel="original"`]);
    const [, newId = ''] = /event: eval\ndata: \{"eval_id":"(\w+)"/.exec(stream.text) ?? [];
    const third = await rerun(caller, newId, {}, '?include=details');
    expect(third.body.details).toMatchObject({ options: { max_tokens: 500 } });
    expect(third.headers.get('link')).toBe(`</api/v1/evals/${newId}>; rel="original"`);
    expect((await caller.usage()).eval_count).toBe(3);
  });

  it('runs once for an Idempotency-Key, which no other request shares', async () => {
    const caller = await createCaller();
    const body = { prompt: 'Hello', models: ['sim-swift'] };
    const [id, other] = [await evalOf(caller, body), await evalOf(caller, body)];
    const key = { 'idempotency-key': 'again' };
    const [first, second] = [await rerun(caller, id, key), await rerun(caller, id, key)];
    expect([second.text, second.headers.get('idempotency-replayed'), second.headers.get('link')]).toEqual([
      first.text,
      'true',
      `</api/v1/evals/${id}>; rel="original"`,
    ]);
    expect((await rerun(caller, other, key)).body.error).toMatchObject({
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
    });
    expect((await caller.compare(body, { headers: key })).body.error).toMatchObject({
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
    });
    expect((await caller.usage()).eval_count).toBe(3);
  });

  it('runs in the background where that is preferred', async () => {
    const caller = await createCaller();
    const id = await evalOf(caller, { prompt: 'Hello', models: ['sim-swift', 'sim-quill'], options: { samples: 3 } });
    const accepted = await rerun(caller, id, { prefer: 'respond-async' });
    expect([accepted.status, accepted.headers.get('location'), accepted.headers.get('link')]).toEqual([
      202,
      `/api/v1/runs/${accepted.body.run_id}`,
      `</api/v1/evals/${id}>; rel="original"`,
    ]);
    await ended(caller, accepted.body.run_id, 'succeeded');
    expect(comparable(await details(caller, accepted.body.eval_id))).toBe(comparable(await details(caller, id)));
    const rows = await onDatabase(
      worker().databaseUrl,
      async (client) => (await client.query('select rerun_of from evals where id = $1', [accepted.body.eval_id])).rows,
    );
    expect(rows).toEqual([{ rerun_of: id }]);
  });

  it.each([
    [
      'a model that is gone',
      { models: '{sim-swift,gone-1,gone-2}' },
      400,
      {
        code: 'unknown_model',
        param: 'models[1]',
        message: 'Unknown or unavailable models: gone-1, gone-2; GET /api/v1/models lists the available models.',
      },
    ],
    [
      'more samples than are possible at once',
      { samples: 50 },
      400,
      {
        code: 'invalid_request',
        param: 'options.samples',
        message:
          'options.samples must be a whole number from 1 to 10; up to 50 are possible with Prefer: respond-async.',
      },
    ],
    [
      'more tokens than are possible by now',
      { max_tokens: 20_000 },
      400,
      { code: 'invalid_request', param: 'options.max_tokens' },
    ],
  ])('is refused with the limits of today for %s', async (_, change, status, error) => {
    const caller = await createCaller();
    const id = await evalOf(caller, { prompt: 'Hello', models: ['sim-swift'] });
    const [[column, value] = []] = Object.entries(change);
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(`update evals set ${column ?? ''} = $2 where id = $1`, [id, value]),
    );
    const refused = await rerun(caller, id);
    expect([refused.status, refused.body.error]).toMatchObject([status, error]);
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it.each<[unknown, string | undefined, string]>([
    [
      { models: ['sim-sage'] },
      'models',
      'models must not be given: an eval is run again unchanged; POST /api/v1/compare takes changes.',
    ],
    [
      { options: { max_cost_usd: 1, temperature: 0 } },
      'options.temperature',
      'options.temperature is not a member of this request.',
    ],
    [
      { options: { max_cost_usd: -1 } },
      'options.max_cost_usd',
      'options.max_cost_usd must be a number of dollars from 0 to 1,000,000,000.',
    ],
    [{ options: [] }, 'options', 'options must be an object.'],
    [
      { ['x'.repeat(300)]: 1 },
      'x'.repeat(100),
      `${'x'.repeat(100)} must not be given: an eval is run again unchanged; POST /api/v1/compare takes changes.`,
    ],
    [[], undefined, 'The body must be a JSON object.'],
    ['"sim-sage"', undefined, 'The body must be a JSON object.'],
  ])('is refused for the body %j, which asks for something else, and costs nothing', async (body, param, message) => {
    const caller = await createCaller();
    const id = await evalOf(caller, { prompt: 'Hello', models: ['sim-swift'] });
    const refused = await caller.post(`/api/v1/evals/${id}/rerun`, body);
    expect([refused.status, refused.body.error.code, refused.body.error.param, refused.body.error.message]).toEqual([
      400,
      'invalid_request',
      param,
      message,
    ]);
    expect((await caller.usage()).eval_count).toBe(1);
    expect((await caller.post(`/api/v1/evals/${id}/rerun`, {})).status).toBe(200);
  });

  it('keeps the max_cost_usd of its eval, at once and in the background, unless the body names another', async () => {
    const caller = await createCaller();
    const id = await evalOf(caller, {
      prompt: 'Hello',
      models: ['sim-swift'],
      options: { max_cost_usd: 0.123456789012 },
    });
    const capOf = (evalId: string) =>
      onDatabase(
        worker().databaseUrl,
        async (client) => (await client.query('select max_cost from evals where id = $1', [evalId])).rows[0]?.max_cost,
      );
    const again = (await rerun(caller, id)).body.eval_id;
    const lower = await caller.post(`/api/v1/evals/${id}/rerun`, { options: { max_cost_usd: 0.5 } });
    const queued = (await rerun(caller, id, { prefer: 'respond-async' })).body;
    await ended(caller, queued.run_id, 'succeeded');
    expect([
      await capOf(again),
      await capOf(lower.body.eval_id),
      await capOf(queued.eval_id),
      await capOf(await evalOf(caller, { prompt: 'Hello', models: ['sim-swift'] })),
    ]).toEqual(['0.123456789012', '0.5', '0.123456789012', null]);
    // As if its prices had risen since.
    await onDatabase(worker().databaseUrl, (client) =>
      client.query('update evals set max_cost = 0.000000000001 where id = $1', [id]),
    );
    const refused = [
      await rerun(caller, id),
      await rerun(caller, id, { prefer: 'respond-async' }),
      await caller.post(`/api/v1/evals/${again}/rerun`, { options: { max_cost_usd: 1e-12 } }),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.code, body.error.details.max_cost_usd])).toEqual(
      Array(3).fill([402, 'max_cost_exceeded', 1e-12]),
    );
    expect((await caller.post(`/api/v1/evals/${id}/rerun`, { options: { max_cost_usd: 1 } })).status).toBe(200);
  });

  it("must be there and be the caller's own", async () => {
    const [owner, other] = [await createCaller(), await createCaller()];
    const id = await evalOf(owner, { prompt: 'Hello', models: ['sim-swift'] });
    const withoutId = ({ status, text }: Answer<Json>) => [status, text.replace(/req_\w+/, '')];
    const missing = withoutId(await rerun(other, MISSING));
    expect(missing).toEqual([
      404,
      '{"error":{"code":"not_found","message":"No eval with this id exists.","request_id":""}}',
    ]);
    expect(withoutId(await rerun(other, id))).toEqual(missing);
    expect(withoutId(await rerun(other, 'anything'))).toEqual(missing);
    await owner.delete(`/api/v1/evals/${id}`);
    expect(withoutId(await rerun(owner, id))).toEqual(missing);
    expect([(await owner.usage()).eval_count, (await other.usage()).eval_count]).toEqual([1, 0]);
  });
});
