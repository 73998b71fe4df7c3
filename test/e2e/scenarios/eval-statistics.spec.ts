import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';

const REQUEST = {
  prompt: 'Hello [[sim-quill:fail]] [[sim-sage:slow=60]]',
  models: ['sim-swift', 'sim-quill', 'sim-sage'],
};

const get = (caller: Caller, id: string, include: string) => caller.get(`/api/v1/evals/${id}?include=${include}`);

/** The eval at the end of an event stream. */
function lastEval(text: string): Json {
  const data = /event: eval\ndata: (.*)\n/.exec(text)?.[1];
  return JSON.parse(data ?? '');
}

describe('The statistics of an eval', () => {
  it('of one sample are numbers without intervals', async () => {
    const caller = await createCaller();
    const { eval_id: id, results, meta } = (await caller.compare(REQUEST)).body;
    const { status, body } = await get(caller, id, 'statistics');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['eval_id', 'prompt', 'models', 'results', 'meta', 'statistics']);
    const { latency_ms: latency, cost_usd: cost, output_tokens: tokens } = results[0];
    expect(body.statistics).toEqual({
      samples: 1,
      models: [
        {
          model: 'sim-swift',
          answered: 1,
          failed: 0,
          latency_ms: {
            p50: latency,
            p50_ci: null,
            method: 'order_statistics',
            p90: latency,
            p90_ci: null,
            min: latency,
            max: latency,
          },
          // The answer was asked for as a whole.
          ttft_ms: null,
          cost_usd: { total: cost, mean: cost, min: cost, max: cost, stddev: null, mean_without_cache: cost },
          output_tokens: { mean: tokens, min: tokens, max: tokens },
          agreement: { distinct: 1, modal_share: 1, mean_similarity: null },
        },
        {
          model: 'sim-quill',
          answered: 0,
          failed: 1,
          latency_ms: null,
          ttft_ms: null,
          cost_usd: null,
          output_tokens: null,
          agreement: null,
        },
        expect.objectContaining({ model: 'sim-sage', answered: 1, failed: 0 }),
      ],
      fastest: {
        model: meta.fastest_model,
        confident: false,
        p_value: null,
        because: expect.stringMatching(
          /^Only one round was answered by both sim-(swift and sim-sage|sage and sim-swift); to tell a difference from luck takes at least 6\. sim-quill: 1 of 1 failed\.$/,
        ),
      },
      cheapest: {
        model: 'sim-swift',
        confident: false,
        p_value: null,
        because:
          'Only one round was answered by both sim-swift and sim-sage; to tell a difference from luck takes at least 6. sim-quill: 1 of 1 failed.',
      },
    });
  });

  it('are the same in the answer of the compare, at the end of its stream and later', async () => {
    const caller = await createCaller();
    const answered = (await caller.post('/api/v1/compare?include=statistics', REQUEST)).body;
    expect(answered.statistics.samples).toBe(1);
    expect((await get(caller, answered.eval_id, 'statistics')).body).toEqual(answered);
    const streamed = lastEval(
      (await caller.post('/api/v1/compare?include=statistics', REQUEST, { headers: { accept: 'text/event-stream' } }))
        .text,
    );
    expect(streamed.statistics.models).toHaveLength(3);
    expect((await get(caller, streamed.eval_id, 'statistics')).body).toEqual(streamed);
  });

  it('come with the answer that an Idempotency-Key repeats', async () => {
    const caller = await createCaller();
    const options = { headers: { 'idempotency-key': 'again' } };
    const plain = await caller.compare(REQUEST, options);
    expect(plain.body.statistics).toBeUndefined();
    const again = await caller.post('/api/v1/compare?include=statistics', REQUEST, options);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const { statistics, ...rest } = again.body;
    expect(rest).toEqual(plain.body);
    expect(statistics.models).toHaveLength(3);
  });

  it('are included beside the details, and only on request', async () => {
    const caller = await createCaller();
    const { eval_id: id } = (await caller.compare(REQUEST)).body;
    expect(Object.keys((await get(caller, id, 'statistics,details')).body)).toEqual([
      'eval_id',
      'prompt',
      'models',
      'results',
      'meta',
      'details',
      'statistics',
    ]);
    for (const path of ['', '?include=details'])
      expect((await caller.get(`/api/v1/evals/${id}${path}`)).text).not.toContain('"statistics"');
  });

  it('of ten samples have intervals, and say which model is surely the fastest', async () => {
    const caller = await createCaller();
    const request = {
      prompt: 'Which city? [[sim-swift:say=Paris]] [[sim-sage:vary=3]] [[sim-sage:slow=400]] [[sim-titan:fail]]',
      models: ['sim-swift', 'sim-sage', 'sim-titan'],
      options: { samples: 10 },
    };
    const { status, body } = await caller.post('/api/v1/compare?include=statistics', request);
    expect([status, body.error, body.results?.length]).toEqual([200, undefined, 30]);
    const {
      samples,
      models: [swift, sage, titan],
      fastest,
    } = body.statistics;
    expect(samples).toBe(10);
    const [low, high] = sage.latency_ms.p50_ci;
    expect(low <= sage.latency_ms.p50 && sage.latency_ms.p50 <= high).toBe(true);
    expect([sage.latency_ms.p90_ci, sage.latency_ms.min >= 400]).toEqual([null, true]);
    expect(swift).toMatchObject({ answered: 10, agreement: { distinct: 1, modal_share: 1, mean_similarity: 1 } });
    expect(sage).toMatchObject({ answered: 10, failed: 0 });
    expect(sage.agreement.distinct).toBeLessThanOrEqual(3);
    expect(titan).toMatchObject({ answered: 0, failed: 10, latency_ms: null, cost_usd: null });
    expect(fastest).toEqual({
      model: 'sim-swift',
      confident: true,
      p_value: expect.any(Number),
      because: expect.stringMatching(
        /^sim-swift has the lowest median latency \([\d.]+ ms\)\. In these 10 rounds within \d+ seconds sim-sage took [\d.]+ × \([\d.]+ to [\d.]+\) as long\. sim-titan: 10 of 10 failed\.$/,
      ),
    });
    expect(fastest.p_value).toBeLessThanOrEqual(0.05);
    expect(body.meta).toMatchObject({ fastest_model: 'sim-swift' });
    expect((await get(caller, body.eval_id, 'statistics')).body).toEqual(body);
  });

  it('of a missing eval are a 404', async () => {
    const caller = await createCaller();
    expect((await get(caller, 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3', 'statistics')).status).toBe(404);
  });
});
