import { createCaller } from '../../support/factories';
import { queue, ended, runOf, runRows } from '../../support/runs';
import { worker } from '../../support/worker';

const ORDER = { prompt: 'Hello', models: ['sim-swift', 'sim-quill'] };
const SLOW = { prompt: '[[sim:slow=60000]]', models: ['sim-swift'] };
const MISSING = 'run_01k9z3t5v7x9b1d3f5h7k9m1n3';

describe('A compare with Prefer: respond-async', () => {
  it('is answered 202 with a run, whose eval then has the announced id and is charged once', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const accepted = await queue(caller, ORDER);
    const { run_id: runId, eval_id: evalId } = accepted.body;
    expect([accepted.status, accepted.body]).toEqual([
      202,
      {
        run_id: expect.stringMatching(/^run_\w{26}$/),
        eval_id: expect.stringMatching(/^eval_\w{26}$/),
        status: 'queued',
      },
    ]);
    expect(
      Object.fromEntries(
        ['location', 'preference-applied', 'retry-after', 'idempotency-replayed'].map((name) => [
          name,
          accepted.headers.get(name),
        ]),
      ),
    ).toEqual({
      location: `/api/v1/runs/${runId}`,
      'preference-applied': 'respond-async',
      'retry-after': '2',
      'idempotency-replayed': null,
    });
    const run = await ended(caller, runId);
    expect(run).toEqual({
      run_id: runId,
      status: 'succeeded',
      eval_id: evalId,
      created_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
    });
    const stored = await caller.get(`/api/v1/evals/${evalId}`);
    expect([stored.status, stored.body.prompt, stored.body.models]).toEqual([200, ORDER.prompt, ORDER.models]);
    expect(await caller.usage()).toMatchObject({ eval_count: 1, total_charge_usd: expect.any(Number) });
    // Nothing of what the user wrote is left in the queue.
    expect(await runRows(worker().databaseUrl, caller.userId)).toEqual([
      expect.objectContaining({ body: null, lease_until: null, state: 'succeeded' }),
    ]);
  });

  it('stores exactly what the same compare would have stored at once', async () => {
    const caller = await createCaller();
    const body = {
      prompt: 'Say {input}. [[sim-quill:fail=rejected]]',
      input: 'no',
      models: ['sim-swift', 'sim-quill', 'sim-sage'],
      options: { temperature: 0.3, max_tokens: 7, max_cost_usd: 0.5, samples: 2 },
      checks: [
        { type: 'contains', values: ['e'] },
        { type: 'regex', pattern: 'q+', not: true },
        { type: 'cost', max_usd: 0.001 },
      ],
    };
    const atOnce = (await caller.compare(body)).body;
    const { run_id: runId, eval_id: evalId } = (await queue(caller, body)).body;
    await ended(caller, runId, 'succeeded');
    const [first, second] = [
      await caller.get(`/api/v1/evals/${atOnce.eval_id}?include=details,checks`),
      await caller.get(`/api/v1/evals/${evalId}?include=details,checks`),
    ];
    const comparable = ({ text }: { text: string }) =>
      text.replace(
        /"(eval_id|created_at|fastest_model)":"[^"]*"|"(latency_ms|duration_ms|ttft_ms|tokens_per_second)":[\d.]+/g,
        '',
      );
    expect(comparable(second)).toBe(comparable(first));
  });

  it('is answered with the eval when it is done within the time to wait, and with the run otherwise', async () => {
    const caller = await createCaller();
    const quick = await queue(caller, ORDER, { headers: { prefer: 'respond-async, wait=30' } });
    expect([
      quick.status,
      quick.body.prompt,
      quick.headers.get('preference-applied'),
      quick.headers.get('location'),
    ]).toEqual([200, 'Hello', 'respond-async, wait=30', `/api/v1/evals/${quick.body.eval_id}`]);
    expect((await caller.get(`/api/v1/evals/${quick.body.eval_id}`)).text).toBe(quick.text);
    const slow = await queue(caller, SLOW, { headers: { prefer: 'respond-async, wait=5' } });
    expect([slow.status, slow.headers.get('preference-applied'), slow.headers.get('retry-after')]).toEqual([
      202,
      'respond-async, wait=5',
      '2',
    ]);
    expect(slow.body.status).toBe('running');
    expect((await caller.get('/api/v1/runs')).body.runs.map(({ status }: { status: string }) => status)).toEqual([
      'running',
      'succeeded',
    ]);
  });

  it('is answered, when it has failed within the time to wait, as if it had been run at once', async () => {
    const caller = await createCaller();
    const body = { prompt: '[[sim:fail=rejected]]', models: ['sim-swift'] };
    const atOnce = await caller.compare(body);
    const waited = await queue(caller, body, { headers: { prefer: 'respond-async, wait=30' } });
    expect([waited.status, waited.body.error]).toEqual([
      502,
      { ...atOnce.body.error, request_id: waited.headers.get('x-request-id') },
    ]);
    expect(atOnce.status).toBe(502);
    const {
      runs: [run],
    } = (await caller.get('/api/v1/runs')).body;
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'all_models_failed', details: atOnce.body.error.details },
    });
    expect((await caller.get(`/api/v1/evals/${run.eval_id}`)).status).toBe(404);
    expect((await caller.usage()).eval_count).toBe(0);
  });

  it('streams where a stream is asked for, and is run at once where only a time to wait is given', async () => {
    const caller = await createCaller();
    const stream = await queue(caller, ORDER, { headers: { accept: 'text/event-stream' } });
    expect([stream.status, stream.headers.get('content-type'), stream.headers.get('preference-applied')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      null,
    ]);
    const plain = await queue(caller, ORDER, { headers: { prefer: 'wait=5, return=minimal' } });
    expect([plain.status, plain.headers.get('preference-applied')]).toEqual([200, null]);
    expect((await caller.get('/api/v1/runs')).body).toEqual({ runs: [], limit: 20 });
  });

  it.each([
    [
      'Prefer: respond-async=yes',
      ORDER,
      { prefer: 'respond-async=yes' },
      400,
      'Prefer',
      'Prefer is malformed: respond-async takes no value.',
    ],
    [
      'Prefer: respond-async, wait=soon',
      ORDER,
      { prefer: 'respond-async, wait=soon' },
      400,
      'Prefer',
      'Prefer is malformed: wait must be a whole number of seconds, such as wait=20.',
    ],
    [
      'a malformed Prefer on a stream',
      ORDER,
      { prefer: '"', accept: 'text/event-stream' },
      400,
      'Prefer',
      'Prefer is malformed: a name is expected at character 1.',
    ],
    [
      'an unknown model',
      { ...ORDER, models: ['nobody'] },
      {},
      400,
      'models[0]',
      'Unknown or unavailable models: nobody; GET /api/v1/models lists the available models.',
    ],
    ['a body without prompt', { models: ['sim-swift'] }, {}, 400, 'prompt', 'prompt is required.'],
    [
      'a cost limit that is too low',
      { ...ORDER, options: { max_cost_usd: 1e-12 } },
      {},
      402,
      'options.max_cost_usd',
      'The maximum cost of this eval exceeds options.max_cost_usd; no vendor was called.',
    ],
    [
      'a malformed Idempotency-Key',
      ORDER,
      { 'idempotency-key': 'ä' },
      400,
      'Idempotency-Key',
      'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    ],
  ])(
    'is refused at once for %s, and nothing is queued',
    async (_, body, headers: Record<string, string>, ...expected) => {
      const caller = await createCaller();
      const answer = await queue(caller, body, { headers });
      expect([answer.status, answer.body.error.param, answer.body.error.message]).toEqual(expected);
      expect(await runRows(worker().databaseUrl, caller.userId)).toEqual([]);
    },
  );

  it('looks at money only when it runs', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1e-6 });
    const { run_id: runId } = (await queue(caller, ORDER)).body;
    const atOnce = (await caller.compare(ORDER)).body.error;
    expect(await ended(caller, runId, 'failed')).toMatchObject({
      error: { code: 'spend_limit_reached', message: atOnce.message },
    });
    expect((await caller.usage()).eval_count).toBe(0);
    expect(await runRows(worker().databaseUrl, caller.userId)).toEqual([
      expect.objectContaining({ body: null, lease_until: null }),
    ]);
  });
});

describe('The runs of a user', () => {
  it('are listed newest first, page by page', async () => {
    const caller = await createCaller();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.unshift((await queue(caller, { ...ORDER, prompt: `${index}` })).body.run_id);
    const seen: string[] = [];
    for (let path: string | undefined = '/api/v1/runs?limit=2'; path !== undefined;) {
      const page = await caller.get(path);
      expect(page.body.limit).toBe(2);
      seen.push(...page.body.runs.map(({ run_id: id }: { run_id: string }) => id));
      path = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
    expect((await caller.get('/api/v1/runs?limit=0')).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'limit',
    });
    expect((await caller.get('/api/v1/runs?cursor=eval_1')).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'cursor',
    });
  });

  it('are, to anybody else, letter for letter like runs that never existed', async () => {
    const [owner, other] = [await createCaller(), await createCaller()];
    const { run_id: id } = (await queue(owner, SLOW)).body;
    const withoutId = ({ status, text }: { status: number; text: string }) => [status, text.replace(/req_\w+/, '')];
    for (const ask of [(at: string) => other.get(at), (at: string) => other.delete(at)]) {
      const missing = withoutId(await ask(`/api/v1/runs/${MISSING}`));
      expect(missing).toEqual([
        404,
        '{"error":{"code":"not_found","message":"No run with this id exists.","request_id":""}}',
      ]);
      expect(withoutId(await ask(`/api/v1/runs/${id}`))).toEqual(missing);
      expect(withoutId(await ask('/api/v1/runs/anything'))).toEqual(missing);
    }
    expect((await other.get('/api/v1/runs')).body.runs).toEqual([]);
    expect((await runOf(owner, id)).status).toMatch(/queued|running/);
  });
});
