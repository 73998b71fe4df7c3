import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';

const MODELS = ['sim-swift', 'sim-sage', 'sim-titan'];
/** The first says the same each time, the second one of three things, the third fails. */
const ORDER = {
  prompt: '[[sim-swift:say=42]] [[sim-sage:vary=3]] [[sim-titan:fail=rejected]]',
  models: MODELS,
  options: { samples: 6 },
  checks: [
    { type: 'number', value: 42 },
    { type: 'finished', weight: 3 },
    { type: 'regex', pattern: '^4', not: true, name: 'not-four' },
  ],
};
const PATH = '/api/v1/compare?include=checks,statistics,details';

const outcomes = (result: Json) => result.checks.map(({ outcome }: Json) => outcome);
const count = (results: Json[], model: string, outcome: string) =>
  results
    .filter((result) => result.model === model)
    .flatMap(outcomes)
    .filter((one) => one === outcome).length;

/** The statistics of the second model's checks, for given answers. */
function expectCounted(body: Json): void {
  const ofSage = (body.results as Json[]).filter(({ model }) => model === 'sim-sage');
  const passed = ofSage.filter((result) => outcomes(result).every((outcome: string) => outcome === 'pass')).length;
  expect(body.statistics.models[1].checks).toMatchObject({ passed, of: 6, method: 'wilson' });
}

/** That an eval of the order above is as it must be, whichever way it came. */
function expectWhole(body: Json): void {
  expect(body.results.map(({ model }: Json) => model)).toEqual(
    Array.from({ length: 18 }, (_, position) => MODELS[position % 3]),
  );
  for (const [position, result] of (body.results as Json[]).entries()) {
    expect(result.checks.map(({ name, type }: Json) => [name, type])).toEqual([
      ['number-1', 'number'],
      ['finished-2', 'finished'],
      ['not-four', 'regex'],
    ]);
    if (position % 3 === 0) expect(outcomes(result)).toEqual(['pass', 'pass', 'fail']);
    if (position % 3 === 2) expect(outcomes(result)).toEqual(['skipped', 'skipped', 'skipped']);
  }
  expect(body.details.options).toEqual({ temperature: 0.7, max_tokens: 500, samples: 6 });
  expect([body.checks.passed, body.checks.by_model.map(({ model }: Json) => model)]).toEqual([false, MODELS]);
  for (const { model, passed, failed, errored } of body.checks.by_model) {
    expect([model, passed, failed, errored]).toEqual([
      model,
      count(body.results, model, 'pass'),
      count(body.results, model, 'fail'),
      count(body.results, model, 'error'),
    ]);
  }
  // 1 and 3 of weight 5.
  expect(body.checks.by_model[0]).toEqual({ model: 'sim-swift', passed: 12, failed: 6, errored: 0, score: 0.8 });
  expect(body.checks.by_model[2]).toEqual({ model: 'sim-titan', passed: 0, failed: 0, errored: 0, score: null });
  const [swift, , titan] = body.statistics.models;
  expect(swift).toMatchObject({
    answered: 6,
    failed: 0,
    checks: { passed: 0, of: 6, rate: 0, ci: [0, 0.390334], method: 'wilson' },
  });
  expect(titan).toMatchObject({
    answered: 0,
    failed: 6,
    checks: { passed: 0, of: 0, rate: null, ci: null, method: 'wilson' },
  });
  expectCounted(body);
}

describe('A compare with samples, checks and statistics', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  it('has a verdict of each check on each sample, and counts them by model, in the answer and from the database', async () => {
    const { status, text, body } = await caller.post(PATH, ORDER);
    expect(status).toBe(200);
    expectWhole(body);
    expect((await caller.get(`/api/v1/evals/${body.eval_id}?include=checks,statistics,details`)).text).toBe(text);
  });

  it('is the same at the end of a stream, whose events name the sample and hold no verdict', async () => {
    const { text } = await caller.post(PATH, ORDER, { headers: { accept: 'text/event-stream' } });
    const eventsOf = (name: string): Json[] =>
      [...text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)$`, 'gm'))].map(([, data]) => JSON.parse(data ?? ''));
    const [stored] = eventsOf('eval');
    expectWhole(stored);
    const results = eventsOf('result');
    for (const model of MODELS)
      expect(results.filter((result) => result.model === model).map(({ sample }) => sample)).toEqual([
        0, 1, 2, 3, 4, 5,
      ]);
    expect(JSON.stringify(results)).not.toContain('"checks"');
    expect((await caller.get(`/api/v1/evals/${stored.eval_id}?include=checks,statistics,details`)).body).toEqual(
      stored,
    );
  });

  it('is the same in the background, and when it is run again', async () => {
    const waited = await caller.post(PATH, ORDER, { headers: { prefer: 'respond-async, wait=30' } });
    expect(waited.status).toBe(200);
    expectWhole(waited.body);
    const again = await caller.post(`/api/v1/evals/${waited.body.eval_id}/rerun?include=checks,statistics,details`);
    expect(again.status).toBe(200);
    expectWhole(again.body);
  });

  it('shows the number of samples among the options in details only where there are several', async () => {
    const options = async (given: object) =>
      (await caller.post('/api/v1/compare?include=details', { prompt: 'Hello', models: ['sim-swift'], options: given }))
        .body.details.options;
    expect([await options({}), await options({ samples: 1 }), await options({ samples: 2 })]).toEqual([
      { temperature: 0.7, max_tokens: 500 },
      { temperature: 0.7, max_tokens: 500 },
      { temperature: 0.7, max_tokens: 500, samples: 2 },
    ]);
  });
});

describe('The drift between evals with checks', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });

  /** An eval in which the model says that text, in each of `count` samples. */
  const evalOf = async (says: string, samples: number, checks: object[]) =>
    (
      await caller.compare({
        prompt: '[[sim-swift:say={input}]] [[sim-quill:say=42]]',
        input: says,
        models: ['sim-swift', 'sim-quill'],
        options: { samples },
        checks,
      })
    ).body.eval_id as string;
  const drift = async (after: string, before: string) =>
    (await caller.get(`/api/v1/evals/${after}/drift?against=${before}`)).body;
  const CHECKS = [
    { type: 'equals', value: '42', name: 'answer' },
    { type: 'regex', pattern: '^4', name: 'four' },
    { type: 'length', min: 3, name: 'long' },
  ];

  it('names what got worse and what got better, and is significant with ten samples', async () => {
    const body = await drift(await evalOf('fifty', 10, CHECKS), await evalOf('42', 10, CHECKS));
    expect(body.request_changed).toEqual(['input']);
    expect(body.models[0]).toMatchObject({
      model: 'sim-swift',
      output: 'changed',
      checks: { improved: ['long'], regressed: ['answer', 'four'] },
      // No answer passed all of them, before or after: that is no change.
      significant: { checks: { p_value: 1, significant: false } },
    });
    expect(body.models[1]).toMatchObject({
      model: 'sim-quill',
      output: 'same',
      checks: { improved: [], regressed: [] },
    });
    const answer = CHECKS.slice(0, 2);
    const surely = await drift(await evalOf('fifty', 10, answer), await evalOf('42', 10, answer));
    expect(surely.models[0].significant.checks).toEqual({
      p_value: 0.0000108251,
      p_adjusted: 0.0000108251,
      significant: true,
    });
  });

  it('compares the checks alone that both define alike, and none where there is no such', async () => {
    const stricter = [{ ...CHECKS[0], weight: 2 }, CHECKS[1] as object];
    const body = await drift(await evalOf('fifty', 1, stricter), await evalOf('42', 1, CHECKS));
    expect([body.request_changed, body.models[0].checks]).toEqual([
      ['input', 'checks'],
      { improved: [], regressed: ['four'] },
    ]);
    const none = await drift(await evalOf('42', 1, [{ type: 'finished' }]), await evalOf('42', 1, CHECKS));
    expect([none.request_changed, none.models[0].checks, none.models[0].output]).toEqual([['checks'], null, 'same']);
  });

  it('leaves out undecided verdicts', async () => {
    // A schema that never ends.
    const undecided = [{ type: 'json', schema: { $ref: '#' }, name: 'endless' }, CHECKS[1] as object];
    const [before, after] = [await evalOf('five', 2, undecided), await evalOf('42', 2, undecided)];
    const {
      body: {
        results: [{ checks: verdicts }],
        statistics,
      },
    } = await caller.get(`/api/v1/evals/${after}?include=checks,statistics`);
    expect(verdicts).toEqual([
      {
        name: 'endless',
        type: 'json',
        outcome: 'error',
        score: null,
        reason: 'It is nested too deeply for its schema.',
      },
      { name: 'four', type: 'regex', outcome: 'pass', score: 1 },
    ]);
    expect((await drift(after, before)).models[0].checks).toEqual({ improved: ['four'], regressed: [] });
    expect(statistics.models[0].checks).toEqual({ passed: 0, of: 0, rate: null, ci: null, method: 'wilson' });
  });
});
