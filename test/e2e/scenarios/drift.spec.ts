import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { worker } from '../../support/worker';

const MISSING = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';
const FIGURES = { before: expect.any(Number), after: expect.any(Number), change: expect.any(Number) };

const compare = async (caller: Caller, body: object): Promise<string> =>
  (await caller.compare(body)).body.eval_id as string;
const drift = (caller: Caller, id: string, against?: string) =>
  caller.get(`/api/v1/evals/${id}/drift${against === undefined ? '' : `?against=${against}`}`);

/** A service whose catalog calls another simulated model, at another price, under the name of a compared model. */
async function serviceWithOtherSwift(): Promise<string> {
  const swift = {
    id: 'sim-swift',
    name: 'Swift, renewed',
    provider: 'simulator',
    vendor: 'simulator',
    vendorModel: 'sim-sage',
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    accepts: { temperature: { min: 0, max: 1 } },
    dialect: { maxTokensField: 'max_completion_tokens' },
    prices: [{ from: '2026-01-01', input: '0.3', output: '1.2' }],
    source: { what: 'made up', seen: '2026-11-20' },
  };
  const file = join(temporaryFolder(), `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify([swift]));
  return (await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', MODEL_CATALOG_FILE: file })).url;
}

/** Gives stored evals a check that the answer is 42, with its verdicts. */
async function withCheck(ids: string[]): Promise<void> {
  const check = { name: 'answer', type: 'equals', weight: 1, not: false, value: '42', ignore_case: false, trim: true };
  await onDatabase(worker().databaseUrl, async (client) => {
    await client.query('update evals set checks = $1 where id = any($2)', [JSON.stringify([check]), ids]);
    await client.query(
      `update results set checks = jsonb_build_array(jsonb_build_object('name', 'answer', 'type', 'equals', 'outcome', case when output = '42' then 'pass' else 'fail' end, 'score', (output = '42')::int)) where eval_id = any($1)`,
      [ids],
    );
  });
}

describe('The drift of an eval', () => {
  const request = { prompt: 'How are you?', models: ['sim-swift', 'sim-titan'], options: { max_tokens: 40 } };

  it('names the model that was changed in the catalog, with what changed and why its cost did, and no other', async () => {
    const caller = await createCaller();
    const before = await compare(caller, request);
    const after = await compare(caller.at(await serviceWithOtherSwift()), request);
    const { status, body } = await drift(caller, after, before);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['eval_id', 'against', 'request_changed', 'models', 'only_before', 'only_after']);
    expect(body).toMatchObject({
      eval_id: after,
      against: before,
      request_changed: [],
      only_before: [],
      only_after: [],
    });
    const [swift, titan] = body.models;
    expect(swift).toEqual({
      model: 'sim-swift',
      answered: { before: 1, after: 1 },
      output: 'changed',
      similarity: expect.any(Number),
      latency_ms: FIGURES,
      cost_usd: FIGURES,
      input_tokens: FIGURES,
      output_tokens: FIGURES,
      checks: null,
      vendor_model: { before: 'sim-swift', after: 'sim-sage', changed: true },
      answered_by: { before: [], after: [], changed: false },
      applied: {
        before: { max_tokens: 40, temperature: 0.7 },
        after: { max_completion_tokens: 40, temperature: 0.7 },
        changed: true,
      },
      prices: {
        before: { input_per_1m: 0.15, cached_input_per_1m: 0.075, cache_write_per_1m: 0.15, output_per_1m: 0.6 },
        after: { input_per_1m: 0.3, cached_input_per_1m: 0.3, cache_write_per_1m: 0.3, output_per_1m: 1.2 },
        changed: true,
      },
      cost_change_usd: { by_tokens: expect.any(Number), by_price: expect.any(Number) },
      significant: null,
      because:
        'One answer cannot tell a change from luck; that takes at least 4 of each eval. Latency is shown without a test: two evals are two moments. Compare evals of several nights to see if a model became slower.',
    });
    expect(swift.similarity).toBeLessThan(1);
    // At twice the rates, the price alone adds as much as the call cost before.
    expect(swift.cost_change_usd.by_price).toBe(swift.cost_usd.before);
    expect(swift.cost_change_usd.by_tokens + swift.cost_change_usd.by_price).toBeCloseTo(swift.cost_usd.change, 12);
    expect(titan).toMatchObject({
      model: 'sim-titan',
      output: 'same',
      similarity: 1,
      cost_usd: { change: 0 },
      vendor_model: { changed: false },
      applied: { changed: false },
      prices: { changed: false },
      cost_change_usd: { by_tokens: 0, by_price: 0 },
    });
  });

  it('is measured against the eval that was re-run, unless another one is named', async () => {
    const caller = await createCaller();
    const [first, third] = [await compare(caller, request), await compare(caller, { ...request, prompt: 'Other' })];
    const source = (await caller.get(`/api/v1/evals/${first}?include=details`)).text;
    const second = (await caller.post(`/api/v1/evals/${first}/rerun`)).body.eval_id as string;
    expect((await drift(caller, second)).body).toMatchObject({
      against: first,
      request_changed: [],
      models: [{ output: 'same' }, { output: 'same' }],
    });
    expect((await drift(caller, second, third)).body).toMatchObject({ against: third, request_changed: ['prompt'] });
    expect((await caller.get(`/api/v1/evals/${first}?include=details`)).text).toBe(source);
    await caller.delete(`/api/v1/evals/${first}`);
    expect((await drift(caller, second)).body.error).toMatchObject({
      code: 'not_found',
      message: 'The eval that this one re-ran was erased; name another one in against.',
      param: 'against',
    });
  });

  it('reports checks that fail significantly more often, and latency without a test, with ten samples of each', async () => {
    const caller = await createCaller();
    const prompt = '[[sim-swift:say=42]] [[sim-titan:say={input}]] {input}';
    const sampled = { ...request, prompt, options: { samples: 10 } };
    const before = await compare(caller, { ...sampled, input: '42' });
    const after = await compare(caller, { ...sampled, input: '43 [[sim-titan:slow=600]]' });
    await withCheck([before, after]);
    const [swift, titan] = (await drift(caller, after, before)).body.models;
    expect(titan).toMatchObject({
      answered: { before: 10, after: 10 },
      output: 'changed',
      checks: { improved: [], regressed: ['answer'] },
      significant: {
        answered: { p_value: 1, p_adjusted: 1, significant: false },
        checks: { p_value: 0.0000108251, p_adjusted: 0.0000108251, significant: true },
      },
      because: expect.stringMatching(
        /^The change of passed checks is larger than luck explains \(5 % over all tests of this answer\)\. Latency is shown without a test/,
      ),
    });
    expect(Object.keys(titan.significant)).toEqual(['answered', 'checks']);
    expect(swift).toMatchObject({
      output: 'same',
      similarity: 1,
      checks: { improved: [], regressed: [] },
      significant: { checks: { p_value: 1, p_adjusted: 1, significant: false } },
    });
  });

  it('says which models only one of the evals compared, and where one did not answer', async () => {
    const caller = await createCaller();
    const prompt = '[[sim-quill:fail]] hello';
    const before = await compare(caller, { prompt, models: ['sim-swift', 'sim-titan', 'sim-quill'] });
    const after = await compare(caller, { prompt, models: ['sim-sage', 'sim-quill', 'sim-titan'] });
    const { body } = await drift(caller, after, before);
    expect(body).toMatchObject({ only_before: ['sim-swift'], only_after: ['sim-sage'], request_changed: [] });
    expect(body.models.map(({ model, output }: Json) => [model, output])).toEqual([
      ['sim-quill', null],
      ['sim-titan', 'same'],
    ]);
    expect(body.models[0]).toMatchObject({
      answered: { before: 0, after: 0 },
      similarity: null,
      latency_ms: { before: null, after: null, change: null },
      cost_usd: { before: null, after: null, change: null },
      cost_change_usd: null,
    });
  });

  it('leaves both evals unchanged, byte for byte, and stores and charges nothing', async () => {
    const caller = await createCaller();
    const [before, after] = [await compare(caller, request), await compare(caller, request)];
    const read = async () => [
      ...(await Promise.all(
        [before, after].map(async (id) => (await caller.get(`/api/v1/evals/${id}?include=details`)).text),
      )),
      (await caller.get('/api/v1/usage')).text,
    ];
    const then = await read();
    await drift(caller, after, before);
    expect(await read()).toEqual(then);
  });

  it('is refused in words where there is nothing to compare with', async () => {
    const caller = await createCaller();
    const [one, other] = [await compare(caller, request), await compare(caller, { ...request, models: ['sim-sage'] })];
    const refusals: [string | undefined, number, string][] = [
      [undefined, 400, 'against is required, because this eval is not a rerun of another.'],
      [one, 400, 'against must be another eval than the one in the path.'],
      [other, 400, 'The two evals have no model in common.'],
      ['eval_1', 400, 'against must be an eval id such as eval_01k9z3t5v7x9b1d3f5h7k9m1n3'],
      [MISSING, 404, 'No eval with this id exists.'],
    ];
    for (const [against, expected, message] of refusals) {
      const { status, body } = await drift(caller, one, against);
      expect([against, status, body.error.message.replace(/\.$/, ''), body.error.param]).toEqual([
        against,
        expected,
        message.replace(/\.$/, ''),
        'against',
      ]);
    }
  });

  it("answers another user's eval with the same bytes as a nonexistent one, on both sides", async () => {
    const [owner, otherUser] = [await createCaller(), await createCaller()];
    const [theirs, own] = [await compare(owner, request), await compare(otherUser, request)];
    const withoutId = async (id: string, against: string) => {
      const { status, text } = await drift(otherUser, id, against);
      return [status, text.replace(/req_\w+/, 'req')];
    };
    expect(await withoutId(theirs, own)).toEqual(await withoutId(MISSING, own));
    expect(await withoutId(own, theirs)).toEqual(await withoutId(own, MISSING));
    expect((await drift(otherUser, own, theirs)).status).toBe(404);
  });
});
