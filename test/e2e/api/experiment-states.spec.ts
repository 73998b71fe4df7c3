import { CANCELED_EXPERIMENT } from '../../../src/modules/experiments/experiment.entity';
import { onDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { worker } from '../../support/worker';

describe('An experiment', () => {
  it('is refused beside three running ones of its user, and beside a hundred of a day', async () => {
    const caller = await createCaller();
    const {
      body: { dataset_id: dataset },
    } = await caller.post('/api/v1/datasets', {
      rows: Array.from({ length: 100 }, (_, index) => ({ input: `${index}` })),
    });
    const body = { dataset, prompt: '{input} [[sim:slow=400]]', models: ['sim-swift'], max_cost_usd: 1, parallel: 1 };
    const ids: string[] = [];
    const post = async () => {
      const {
        status,
        headers,
        body: { experiment_id: id },
      } = await caller.post('/api/v1/experiments', body);
      if (id !== undefined) ids.push(id as string);
      return [status, headers.get('retry-after')];
    };
    const change = async (nth: number, state: string) =>
      (await caller.patch(`/api/v1/experiments/${ids[nth]}`, { state })).status;
    expect([await post(), await post(), await post(), await post()]).toEqual([
      [202, null],
      [202, null],
      [202, null],
      [429, '60'],
    ]);
    expect([await change(0, 'paused'), await post(), await change(0, 'running')]).toEqual([200, [202, null], 429]);
    // With 95 more there are 99 of the last 24 hours, and one of the day before.
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(
        `
      insert into experiments select copy.* from experiments, generate_series(1, 96) as n,
        jsonb_populate_record(experiments, jsonb_build_object('id', experiments.id || n, 'created_at', experiments.created_at - case n when 1 then interval '25 hours' else interval '23 hours' end)) as copy where experiments.id = $1`,
        [ids[0]],
      ),
    );
    expect([
      await change(1, 'paused'),
      await post(),
      await change(2, 'paused'),
      await post(),
      await change(0, 'running'),
    ]).toEqual([200, [202, null], 200, [429, '3600'], 200]);
    // Frees the slots of the others' rows.
    for (const nth of ids.keys()) await change(nth, CANCELED_EXPERIMENT);
  });

  it('that was paused ends with its last row, which was running', async () => {
    const caller = await createCaller();
    const {
      body: { dataset_id: dataset },
    } = await caller.post('/api/v1/datasets', { rows: [{ input: 'a' }] });
    const {
      body: { experiment_id: id },
    } = await caller.post('/api/v1/experiments', {
      dataset,
      prompt: '{input} [[sim:slow=700]]',
      models: ['sim-swift'],
      max_cost_usd: 1,
    });
    const read = async () => (await caller.get(`/api/v1/experiments/${id}`)).body;
    await eventually('its row runs', async () => (await read()).rows.running === 1);
    expect((await caller.patch(`/api/v1/experiments/${id}`, { state: 'paused' })).body).toMatchObject({
      state: 'paused',
      reason: 'by_user',
    });
    await eventually('no row runs', async () => (await read()).rows.running === 0);
    expect(await read()).toMatchObject({
      state: 'finished',
      reason: null,
      rows: { done: 1 },
      finished_at: expect.any(String),
    });
  });

  it('needs a name of its prompt only in the rows that it has, the first of the drawn order', async () => {
    const caller = await createCaller();
    const rows = Array.from({ length: 8 }, (_, index) => ({
      input: `${index}`,
      ...(index !== 5 && { variables: { city: 'Rome' } }),
    }));
    const {
      body: { dataset_id: dataset },
    } = await caller.post('/api/v1/datasets', { rows });
    const {
      body: { rows: drawn },
    } = await caller.get(`/api/v1/datasets/${dataset}/rows`);
    const lacking = (drawn as { input: string }[]).findIndex(({ input }) => input === '5');
    expect(lacking).toBeGreaterThan(0);
    const statusOf = async (limit: number) =>
      (
        await caller.post('/api/v1/experiments/estimate', {
          dataset,
          prompt: '{city}: {input}',
          models: ['sim-swift'],
          limit,
        })
      ).status;
    expect([await statusOf(lacking), await statusOf(lacking + 1)]).toEqual([200, 400]);
  });
});
