import { createCaller } from '../../support/factories';
import { anotherKey, verifyLedger } from '../../support/ledger';
import { worker } from '../../support/worker';

const ARMS = ['sim-sage@low', 'sim-sage', 'sim-sage@high', 'sim-swift'];

describe('Models at an effort', () => {
  it('are compared beside each other under the ids as written, and counted as their model', async () => {
    const caller = await createCaller();
    const { body, status } = await caller.post('/api/v1/compare?include=details', {
      prompt: 'Hello',
      models: ARMS,
      options: { reasoning_effort: 'medium' },
    });
    expect([status, body.models, body.results.map(({ model }: { model: string }) => model)]).toEqual([200, ARMS, ARMS]);
    expect(body.results.map(({ details }: { details: { applied: object } }) => details.applied)).toMatchObject([
      { reasoning_effort: 'low' },
      { reasoning_effort: 'medium' },
      { reasoning_effort: 'high' },
      {},
    ]);
    expect(ARMS).toContain(body.meta.cheapest_model);
    const { lines } = (await caller.get('/api/v1/usage/statement')).body;
    expect(lines.map(({ models }: { models: string[] }) => models)).toEqual([['sim-sage', 'sim-swift']]);
    const { items } = (await caller.get('/api/v1/usage/breakdown?by=model')).body;
    expect(
      items.map(({ item, eval_count: evals }: { item: string; eval_count: number }) => [item, evals]).sort(),
    ).toEqual([
      ['sim-sage', 1],
      ['sim-swift', 1],
    ]);
    expect((await verifyLedger(worker().databaseUrl)).output).not.toContain(caller.userId);
  });

  it('are found by their model, and by the effort if it is named', async () => {
    const caller = await createCaller();
    const {
      body: { eval_id: id },
    } = await caller.compare({ prompt: 'Hello', models: ['sim-sage@low'] });
    const found = async (model: string) =>
      (await caller.get(`/api/v1/evals?model=${encodeURIComponent(model)}`)).body.evals.map(
        ({ eval_id }: { eval_id: string }) => eval_id,
      );
    expect(await Promise.all(['sim-sage', 'sim-sage@low', 'sim-sage@high', 'sim-sag', '@low'].map(found))).toEqual([
      [id],
      [id],
      [],
      [],
      [],
    ]);
  });

  it('are estimated, projected and rerun as written, and allowed by their model', async () => {
    const caller = await anotherKey(await createCaller(), { allowed_models: ['sim-sage'] });
    const {
      body: { eval_id: id },
    } = await caller.compare({ prompt: 'Hello', models: ['sim-sage@low', 'sim-sage'] });
    const [estimate, projection, rerun, refused] = await Promise.all([
      caller.post('/api/v1/compare/estimate', { prompt: 'Hello', models: ['sim-sage@low'] }),
      caller.get(`/api/v1/evals/${id}/projection?calls_per_month=1000`),
      caller.post(`/api/v1/evals/${id}/rerun`, {}),
      caller.compare({ prompt: 'Hello', models: ['sim-sage@low', 'sim-titan'] }),
    ]);
    expect(estimate.body.models.map(({ model }: { model: string }) => model)).toEqual(['sim-sage@low']);
    expect(projection.body.models[0]).toMatchObject({
      model: 'sim-sage@low',
      months: [expect.objectContaining({ from: '2026-01-01' })],
    });
    expect(rerun.body.models).toEqual(['sim-sage@low', 'sim-sage']);
    expect(refused.body.error).toMatchObject({ code: 'model_not_allowed', param: 'models[1]' });
  });

  it.each([
    [['sim-sage@low', 'sim-sage@low'], 'invalid_request', 'models', /must not repeat an element/],
    [['sim-swift@low'], 'invalid_request', 'models[0]', /sim-swift takes no reasoning effort/],
    [['sim-sage', 'sim-sage@'], 'invalid_request', 'models[1]', /The efforts of sim-sage are none, low, medium, high/],
    [['sim-sage@LOW'], 'invalid_request', 'models[0]', /is sim-sage@LOW, and there is no such effort/],
    [[`${'x'.repeat(100)}@minimal`], 'unknown_model', 'models[0]', /Unknown/],
    [[`${'x'.repeat(101)}@minimal`], 'invalid_request', 'models[0]', /longer than 108 characters/],
  ])('are refused as %j', async (models, code, param, message) => {
    const { status, body } = await (await createCaller()).compare({ prompt: 'Hello', models });
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code, param, message: expect.stringMatching(message) }),
    ]);
  });

  it.each([['loud'], ['LOW'], [1], [['low']], [''], [{}]])(
    'are refused at the effort %j of the options',
    async (effort) => {
      const { body } = await (
        await createCaller()
      ).compare({ prompt: 'Hello', models: ['sim-sage'], options: { reasoning_effort: effort } });
      expect(body.error).toMatchObject({ code: 'invalid_request', param: 'options.reasoning_effort' });
    },
  );
});
