import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';

const REQUEST = { prompt: 'Hello [[sim-quill:fail]] [[sim-sage:slow=60]]', models: ['sim-swift', 'sim-quill', 'sim-sage'] };

const get = (caller: Caller, id: string, include: string) => caller.get(`/api/v1/evals/${id}?include=${include}`);

/** The eval at the end of an event stream. */
function lastEval(text: string): Json {
  const data = /event: eval\ndata: (.*)\n/.exec(text)?.[1];
  return JSON.parse(data ?? '');
}

describe('The statistics of an eval', () => {
  it('of one sample are numbers without intervals', async () => {
    const caller = await createCaller();
    const { eval_id: id, results } = (await caller.compare(REQUEST)).body;
    const { status, body } = await get(caller, id, 'statistics');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['eval_id', 'prompt', 'models', 'results', 'meta', 'statistics']);
    const { latency_ms: latency, cost_usd: cost, output_tokens: tokens } = results[0];
    expect(body.statistics).toEqual({
      samples: 1,
      models: [
        {
          model: 'sim-swift', answered: 1, failed: 0,
          latency_ms: { p50: latency, p50_ci: null, method: 'order_statistics', p90: latency, p90_ci: null, min: latency, max: latency },
          ttft_ms: { p50: expect.any(Number), p50_ci: null, method: 'order_statistics' },
          cost_usd: { total: cost, mean: cost, min: cost, max: cost, stddev: null, mean_without_cache: cost },
          output_tokens: { mean: tokens, min: tokens, max: tokens },
          agreement: { distinct: 1, modal_share: 1, mean_similarity: null },
        },
        { model: 'sim-quill', answered: 0, failed: 1, latency_ms: null, ttft_ms: null, cost_usd: null, output_tokens: null, agreement: null },
        expect.objectContaining({ model: 'sim-sage', answered: 1, failed: 0 }),
      ],
      fastest: { model: 'sim-swift', confident: false, p_value: null, because: 'Only one round was answered by both sim-swift and sim-sage; to tell a difference from luck takes at least 6.' },
      cheapest: { model: 'sim-swift', confident: false, p_value: null, because: 'Only one round was answered by both sim-swift and sim-sage; to tell a difference from luck takes at least 6.' },
    });
  });

  it('are the same in the answer of the compare, at the end of its stream and later', async () => {
    const caller = await createCaller();
    const answered = (await caller.post('/api/v1/compare?include=statistics', REQUEST)).body;
    expect(answered.statistics.samples).toBe(1);
    expect((await get(caller, answered.eval_id, 'statistics')).body).toEqual(answered);
    const streamed = lastEval((await caller.post('/api/v1/compare?include=statistics', REQUEST, { headers: { accept: 'text/event-stream' } })).text);
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

  it('stand beside the details, and only where they are asked for', async () => {
    const caller = await createCaller();
    const { eval_id: id } = (await caller.compare(REQUEST)).body;
    expect(Object.keys((await get(caller, id, 'statistics,details')).body)).toEqual(['eval_id', 'prompt', 'models', 'results', 'meta', 'details', 'statistics']);
    for (const path of ['', '?include=details']) expect((await caller.get(`/api/v1/evals/${id}${path}`)).text).not.toContain('"statistics"');
  });

  it('of a missing eval are a 404', async () => {
    const caller = await createCaller();
    expect((await get(caller, 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3', 'statistics')).status).toBe(404);
  });
});
