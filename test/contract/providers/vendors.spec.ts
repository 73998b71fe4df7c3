import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import catalog from '../../../src/modules/models/catalog.json';
import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { vendorLog, vendorScript, type Fault, type ModelScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

/**
 * A model of each vendor, and what 1,000 tokens in (400 of them cached, `written` written to the cache) and 500 out
 * (120 of them reasoning) cost, worked out by hand.
 */
const VENDORS = [
  // 400 × 2 + 400 × 0.10 + 200 × 2.50 + 500 × 10 = 6340
  { vendor: 'openai', model: 'gpt-6.2-sol', written: 200, cost: '0.00634', reasoning: 120 },
  // the same rates; counted beside the input, which makes no difference
  { vendor: 'anthropic', model: 'claude-sonnet-5-5', written: 200, cost: '0.00634', reasoning: 120 },
  // API version 2023-06-01: 400 × 1 + 400 × 0.10 + 200 × 1.25 + 500 × 5 = 3190
  { vendor: 'anthropic', model: 'claude-haiku-4-5', written: 200, cost: '0.00319', reasoning: 120 },
  // 600 × 1.50 + 400 × 0.15 + 500 × 9 = 5460; reasoning apart and not itemised
  { vendor: 'gemini', model: 'gemini-3.5-flash', written: 0, cost: '0.00546', reasoning: 0 },
  // 600 × 0.15 + 400 × 0.015 + 500 × 0.60 = 396
  { vendor: 'mistral', model: 'mistral-small-2603', written: 0, cost: '0.000396', reasoning: 0 },
  // off-peak: 600 × 0.66 + 400 × 0.022 + 500 × 1.98 = 1394.8
  { vendor: 'deepseek', model: 'deepseek-v4-pro', written: 0, cost: '0.0013948', reasoning: 120 },
  // 600 × 1.25 + 400 × 0.20 + 500 × 2.50 = 2080; reasoning apart
  { vendor: 'xai', model: 'grok-4.3', written: 0, cost: '0.00208', reasoning: 120 },
  // 600 × 0.15 + 400 × 0.075 + 500 × 0.60 = 420
  { vendor: 'groq', model: 'groq/gpt-oss-120b', written: 0, cost: '0.00042', reasoning: 120 },
  // writes at the input rate: 600 × 1.40 + 400 × 0.26 + 500 × 4.40 = 3144
  { vendor: 'openrouter', model: 'openrouter/glm-5.3', written: 200, cost: '0.003144', reasoning: 120 },
  { vendor: 'local', model: 'local/llama3.2', written: 0, cost: '0', reasoning: 0 },
] as const;

const FAULTS: [Fault, string][] = [
  ['bad-key', 'authentication_failed'],
  ['quota', 'quota_exhausted'],
  ['rate-limit', 'rate_limited'],
  ['overload', 'overloaded'],
  ['server-error', 'unavailable'],
  ['context-too-long', 'context_too_long'],
  ['content-refused', 'content_refused'],
  ['model-not-found', 'model_unavailable'],
  ['bad-request', 'invalid_request'],
  ['reset', 'connection_failed'],
  ['half-body', 'connection_failed'],
  ['clean-cut', 'invalid_answer'],
  ['html', 'invalid_answer'],
  ['error-in-200', 'unavailable'],
  ['error-mid-stream', 'overloaded'],
  ['empty-choices', 'invalid_answer'],
  ['empty-body', 'invalid_answer'],
  ['bad-json', 'invalid_answer'],
];

/** Faults that another attempt would not change. */
const NOT_RETRIED: Fault[] = [
  'bad-key',
  'quota',
  'context-too-long',
  'content-refused',
  'model-not-found',
  'bad-request',
  'half-body',
  'clean-cut',
  'html',
  'empty-choices',
  'empty-body',
  'bad-json',
];

/** How the vendor is asked: for a stream, because the caller wants its times, or for a whole answer. */
const WAYS = ['streamed', 'whole'] as const;
type Way = (typeof WAYS)[number];

/** Where a vendor's own words allow no better distinction, or an answer is good by its protocol. */
const EXCEPTIONS: Record<string, string | null> = {
  // Google says RESOURCE_EXHAUSTED and the same sentence for a rate and for an empty account.
  'gemini quota': 'rate_limited',
  // It names no parameter.
  'deepseek bad-request': 'rejected',
  // "currently unavailable"
  'xai error-mid-stream': 'unavailable',
  // An empty content list with end_turn is a whole message.
  'anthropic empty-choices': null,
};

/** A whole answer has no middle: its body is an error instead. */
const WHOLE_ERROR: Fault[] = ['error-in-200', 'error-mid-stream'];

function expectedCode(vendor: string, fault: Fault, expected: string, way: Way): string | null {
  if (way === 'whole' && WHOLE_ERROR.includes(fault)) return 'unavailable';
  const exception = EXCEPTIONS[`${vendor} ${fault}`];
  return exception === undefined ? expected : exception;
}

interface Run {
  result: Json;
  /** Of the simulated model. */
  other: Json;
  calls: Json[];
  meta: Json;
}

/** Entries that promise what their vendors refuse. */
const REASONING = { efforts: ['none', 'high'], default: null, mandatory: false };
const PROMISES = [
  ['promise/openai', 'gpt-6-luna', { vendorModel: 'plain' }],
  [
    'promise/anthropic',
    'claude-haiku-4-5',
    { dialect: { maxTokensField: 'max_tokens' }, accepts: { temperature: null } },
  ],
].map(([id, original, changes]) => ({
  ...catalog.find((model) => model.id === original),
  id,
  reasoning: REASONING,
  ...(changes as object),
}));

let caller: Caller;
beforeAll(async () => {
  const file = join(temporaryFolder(), 'models.json');
  writeFileSync(file, JSON.stringify(PROMISES));
  const service = await startService({
    DATABASE_URL: worker().databaseUrl,
    ...vendorVariables(worker().vendorUrl),
    MODEL_TIMEOUT_MS: '20000',
    RATE_LIMIT_COMPARE_PER_MINUTE: '100000',
    MODEL_CATALOG_FILE: file,
    // A Tuesday noon, because prices depend on the day and at DeepSeek on the hour.
    TEST_CLOCK: '2026-11-24T12:00:00.000Z',
  });
  caller = await createCaller({ at: service.url });
});

describe.each(VENDORS)('The provider of $vendor ($model)', ({ vendor, model, written, cost, reasoning }) => {
  /** Compares the scripted model with a simulated one, and returns the results with details and the vendor's calls. */
  async function run(script: ModelScript, options = {}, words = 'Hello ', way: Way = 'streamed'): Promise<Run> {
    const id = randomUUID();
    const body = { prompt: `${words}${vendorScript(id, { '*': script })}`, models: [model, 'sim-swift'], options };
    const first = await caller.post(way === 'streamed' ? '/api/v1/compare?include=details' : '/api/v1/compare', body);
    expect(first.status).toBe(200);
    const answer = way === 'streamed' ? first : await caller.get(`/api/v1/evals/${first.body.eval_id}?include=details`);
    return {
      result: answer.body.results[0],
      other: answer.body.results[1],
      meta: answer.body.meta,
      calls: (await vendorLog(worker().vendorUrl, id)).calls,
    };
  }

  it.each(WAYS)('counts and prices cached, written and reasoning tokens to the last digit, %s', async (way) => {
    const { result } = await run(
      {
        inputTokens: 1000,
        outputTokens: 500,
        cachedTokens: vendor === 'local' ? 0 : 400,
        cacheWriteTokens: written,
        reasoningTokens: 120,
        text: 'Good morning.',
      },
      {},
      'Hello '.repeat(200),
      way,
    );
    expect(result).toMatchObject({
      output: 'Good morning.',
      input_tokens: 1000,
      output_tokens: 500,
      total_tokens: 1500,
    });
    expect(String(result.cost_usd)).toBe(cost);
    expect(result.details).toMatchObject({
      finish_reason: 'stop',
      attempts: 1,
      tokens: { cached_input: vendor === 'local' ? 0 : 400, cache_write: written },
    });
    expect([0, reasoning]).toContain(result.details.tokens.reasoning);
    if (way === 'streamed') expect(result.details.ttft_ms).toBeLessThanOrEqual(result.latency_ms);
    else expect(result.details).toMatchObject({ ttft_ms: null, tokens_per_second: null });
  });

  it('is understood where it answers in the other form than it was asked for', async () => {
    const [stream, body] = await Promise.all([
      run({ form: 'streamed', text: 'Good morning.' }, {}, '', 'whole'),
      run({ form: 'whole', text: 'Good morning.' }, {}, '', 'streamed'),
    ]);
    for (const { result } of [stream, body])
      expect(result).toMatchObject({ output: 'Good morning.', cost_usd: expect.any(Number) });
    expect([stream.result.details.ttft_ms, body.result.details.ttft_ms]).toEqual([null, expect.any(Number)]);
  });

  it("sends the key in a header, the vendor's own parameters and a request for a stream", async () => {
    const { result, calls } = await run({}, { temperature: 0.3, max_tokens: 77 });
    expect(calls).toHaveLength(1);
    const [{ body, headers }] = calls as [Json];
    expect(body.stream).toBe(true);
    expect((await run({}, {}, '', 'whole')).calls).toEqual([
      expect.objectContaining({ body: expect.not.objectContaining({ stream: expect.anything() }) }),
    ]);
    expect(JSON.stringify(headers)).toContain(`sk-MARKER-${vendor}-0123456789`);
    expect(body.max_tokens ?? body.max_completion_tokens).toBe(77);
    const warnings = (result.warnings ?? []).map(({ code }: { code: string }) => code);
    expect('temperature' in body).toBe(!warnings.includes('temperature_ignored'));
    expect(result.details.applied).toEqual({
      ['max_tokens' in body ? 'max_tokens' : 'max_completion_tokens']: 77,
      ...('temperature' in body && { temperature: 0.3 }),
    });
  });

  it('sends the sum of max_tokens and of the room for thought, and says how much of it is room', async () => {
    const {
      result: {
        details: { applied },
      },
      calls: [{ body }],
    } = (await run({}, { max_tokens: 77, reasoning_tokens: 1000 })) as unknown as { result: Json; calls: [Json] };
    expect([77, 1077]).toContain(body.max_tokens ?? body.max_completion_tokens);
    expect(applied).toMatchObject(
      body.max_tokens === 1077 || body.max_completion_tokens === 1077
        ? { reasoning_tokens: 1000 }
        : expect.not.objectContaining({ reasoning_tokens: expect.anything() }),
    );
  });

  it('returns the model name of the vendor if it is a name', async () => {
    const named = async (answersAs: string) => (await run({ answersAs })).result.details.answered_by;
    expect([
      await named('another-2026-11-20'),
      await named('a sentence\nof the prompt'),
      await named('x'.repeat(201)),
    ]).toEqual(['another-2026-11-20', null, null]);
  });

  it('estimates the tokens and warns about it when the vendor counts nothing', async () => {
    const { result } = await run({ usage: 'none', text: 'Seven words are in this short answer.' });
    expect(result.warnings).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'usage_estimated' })]));
    expect(result.input_tokens).toBeGreaterThan(5);
    expect(result.output_tokens).toBeGreaterThan(5);
  });

  it('treats an answer truncated at the limit as a success, even when reasoning used all of it', async () => {
    const { result, meta } = await run({ finish: 'length', text: '', reasoningTokens: 5 }, {}, '[[sim:slow=300]] ');
    expect(result).toMatchObject({ output: '', output_tokens: 5 });
    // Without text it leads neither, however quick and cheap.
    expect(meta).toMatchObject({ fastest_model: 'sim-swift', cheapest_model: 'sim-swift' });
    expect(result.warnings).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'no_room_for_answer' })]));
    expect(result).not.toHaveProperty('error');
  });

  it('retries after a rate limit as soon as Retry-After allows', async () => {
    const { result, calls } = await run({ fault: 'rate-limit', failFirst: 1, retryAfter: '0.2' });
    expect(result).not.toHaveProperty('error');
    expect(result.details.attempts).toBe(2);
    expect(calls[1].receivedAt - calls[0].receivedAt).toBeGreaterThanOrEqual(190);
  });

  it('does not wait for a Retry-After beyond the deadline', async () => {
    const { result, calls } = await run({ fault: 'rate-limit', retryAfter: '30' });
    expect(result.error.code).toBe('rate_limited');
    expect(calls).toHaveLength(1);
  });

  function expectFailure({ result, calls }: Run, code: string): void {
    expect(result).toMatchObject({
      output: '',
      cost_usd: 0,
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
      error: { code, message: expect.any(String), retryable: expect.any(Boolean) },
    });
    expect(calls.length).toBeLessThanOrEqual(3);
  }

  function expectOthersWell({ result, other }: Run): void {
    expect(other).not.toHaveProperty('error');
    expect(other.output.length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toMatch(/MARKER|https?:|127\.0\.0\.1|localhost/);
  }

  // All faults of a vendor at once: most of their time is pauses between attempts.
  const runs = new Map<string, Promise<Run>>();
  beforeAll(() => {
    for (const [fault, way] of FAULTS.flatMap(([each]) => WAYS.map((one) => [each, one] as const))) {
      const started = run({ fault }, {}, 'Hello ', way);
      runs.set(`${fault} ${way}`, started);
      // The test of the fault reports a failure.
      started.catch(() => undefined);
    }
  });

  it.each(FAULTS.flatMap(([fault, code]) => WAYS.map((way) => [fault, code, way] as const)))(
    'turns %s into %s, and leaves the other models alone (%s)',
    async (fault, expected, way) => {
      const ended = await runs.get(`${fault} ${way}`);
      if (ended === undefined) throw new Error(`No run of ${fault} was started.`);
      const code = expectedCode(vendor, fault, expected, way);
      expectOthersWell(ended);
      if (code === null) {
        expect(ended.result).not.toHaveProperty('error');
        return;
      }
      expectFailure(ended, code);
      if (NOT_RETRIED.includes(fault) && code !== 'rate_limited') expect(ended.calls).toHaveLength(1);
      // A vendor that answers with an error has charged nothing.
      if (way === 'whole' && WHOLE_ERROR.includes(fault)) expect(ended.calls).toHaveLength(3);
    },
  );
});

describe('An effort', () => {
  /** The bodies that vendors are sent, without the members that all requests have. */
  const SENT = [
    { model: 'gpt-6.2-sol@low', applied: 'low', sent: { reasoning_effort: 'low', max_completion_tokens: 2500 } },
    { model: 'gpt-6.2-sol', applied: 'high', sent: { reasoning_effort: 'high', max_completion_tokens: 2500 } },
    {
      model: 'claude-haiku-4-5',
      applied: 'high',
      sent: { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 2500 },
    },
    {
      model: 'claude-sonnet-5-5@none',
      applied: 'none',
      sent: { thinking: { type: 'between_tools' }, max_tokens: 500 },
    },
    { model: 'claude-opus-5-5', applied: 'high', sent: { output_config: { effort: 'high' }, max_tokens: 2500 } },
    { model: 'deepseek-v4-pro@none', applied: 'none', sent: { thinking: { type: 'disabled' }, max_tokens: 500 } },
    {
      model: 'openrouter/glm-5.3',
      applied: 'high',
      sent: { reasoning: { effort: 'high' }, max_tokens: 2500, temperature: 0.7 },
    },
    { model: 'ministral-8b-2512', applied: undefined, sent: { max_tokens: 500, temperature: 0.7 } },
  ];

  async function run(models: string[], options: object, way: Way): Promise<{ results: Json[]; bodies: Json[] }> {
    const id = randomUUID();
    const request = { prompt: vendorScript(id, { '*': {} }), models, options };
    await caller.compare(request, way === 'streamed' ? { headers: { accept: 'text/event-stream' } } : {});
    const {
      body: {
        evals: [{ eval_id: evalId }],
      },
    } = await caller.get('/api/v1/evals?limit=1');
    const {
      body: { results },
    } = await caller.get(`/api/v1/evals/${evalId}?include=details`);
    return { results, bodies: (await vendorLog(worker().vendorUrl, id)).calls.map(({ body }) => body) };
  }

  it.each(WAYS)('reaches each vendor in its words, and the result says so (%s)', async (way) => {
    const { results, bodies } = await run(
      SENT.map(({ model }) => model),
      { reasoning_effort: 'high' },
      way,
    );
    const thought = bodies.map(({ model, stream, ...rest }) => ({
      model,
      isStreamed: stream === true,
      rest: Object.fromEntries(
        Object.entries(rest).filter(([name]) => name !== 'messages' && name !== 'stream_options'),
      ),
    }));
    expect(thought).toHaveLength(SENT.length);
    for (const [index, { model, applied, sent }] of SENT.entries()) {
      expect(results[index]).toMatchObject({
        model,
        details: {
          applied:
            applied === undefined
              ? expect.not.objectContaining({ reasoning_effort: expect.anything() })
              : { reasoning_effort: applied },
        },
      });
      expect(results[index]).not.toHaveProperty('error');
      expect(thought).toContainEqual({
        model: results[index].details.vendor_model,
        isStreamed: way === 'streamed',
        rest: sent,
      });
    }
    expect(
      results.map(({ warnings = [] }) =>
        warnings.map(({ code }: { code: string }) => code).filter((code: string) => code.startsWith('reasoning')),
      ),
    ).toEqual(SENT.map(({ applied }) => (applied === undefined ? ['reasoning_effort_ignored'] : [])));
  });

  it.each(WAYS)(
    'that a vendor refuses although the catalog promises it fails that model by name, and is not tried without it (%s)',
    async (way) => {
      const { results, bodies } = await run(
        ['promise/openai@high', 'promise/anthropic', 'ministral-8b-2512'],
        { reasoning_effort: 'high' },
        way,
      );
      expect(results[0].error).toEqual({
        code: 'invalid_request',
        retryable: false,
        message:
          "The vendor rejected the option reasoning_effort, and the model was not called without it. It says: Unsupported parameter: 'reasoning_effort' is not supported with this model.",
      });
      expect(results[1].error).toEqual({
        code: 'invalid_request',
        retryable: false,
        message:
          'The vendor rejected the option reasoning_effort, and the model was not called without it. It says: output_config.effort: Extra inputs are not permitted',
      });
      expect(results[2]).not.toHaveProperty('error');
      expect(bodies).toHaveLength(3);
    },
  );
});
