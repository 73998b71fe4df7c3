import { Api, type Answer, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { worker } from '../../support/worker';

const MODELS = ['sim-swift', 'sim-sage', 'sim-quill', 'sim-titan'];

const database = (sql: string, values: unknown[] = []) =>
  onDatabase(worker().databaseUrl, (client) => client.query(sql, values));
const compare = async (caller: Caller, body: object = {}): Promise<string> =>
  (await caller.compare({ prompt: 'hello', models: MODELS, ...body })).body.eval_id as string;
const share = async (caller: Caller, body: object): Promise<Json> => (await caller.post('/api/v1/shares', body)).body;
const view = (token: string): Promise<Answer<Json>> => new Api(undefined).get(`/api/v1/shared/${token}`);

describe('What a share link leaves out', () => {
  const canaries = {
    prompt: 'CANARYPROMPT',
    input: 'CANARYINPUT',
    system: 'CANARYSYSTEM',
    turn: 'CANARYTURN',
    output: 'CANARYOUTPUT',
  };
  const fields = { weight: 1, not: false };
  const checks = [
    { name: 'said', type: 'contains', values: [canaries.output], mode: 'all', ignore_case: false, ...fields },
    { name: 'echo', type: 'equals', value: canaries.prompt, ignore_case: false, trim: true, ...fields },
    { name: 'cheap', type: 'cost', max_usd: '0.000000123', ...fields },
  ];
  const verdicts = [
    { name: 'said', type: 'contains', outcome: 'pass', score: 1 },
    {
      name: 'echo',
      type: 'equals',
      outcome: 'fail',
      score: 0,
      reason: `It is "${canaries.output}", not "${canaries.prompt}${canaries.input}".`,
    },
    {
      name: 'cheap',
      type: 'cost',
      outcome: 'fail',
      score: 0,
      reason: 'It cost more than 0.000000123 USD at sim-sage.',
    },
  ];
  const request = {
    prompt: `${canaries.prompt} {input}`,
    input: canaries.input,
    models: [...MODELS],
    options: { system: canaries.system, history: [{ role: 'user', content: canaries.turn }], reasoning_effort: 'low' },
  };

  /** A stored eval with canaries in every text. */
  async function evalWithCanaries(caller: Caller): Promise<string> {
    const subject = await compare(caller, request);
    await database('update evals set checks = $1 where id = $2', [JSON.stringify(checks), subject]);
    await database('update results set checks = $1, output = $2 where eval_id = $3', [
      JSON.stringify(verdicts),
      `${canaries.output} by sim-sage`,
      subject,
    ]);
    // Vendors quote in their errors what they were sent.
    const quoting = {
      code: 'rejected',
      message: `${Object.values(canaries).join(' ')} "output": sim-sage 0.000000123 total_tokens`,
    };
    await database('update results set error = $1, warnings = $2 where eval_id = $3 and position = 3', [
      JSON.stringify({ ...quoting, retryable: false }),
      JSON.stringify([quoting]),
      subject,
    ]);
    return subject;
  }

  it.each([
    [
      ['prompt'],
      [canaries.prompt, canaries.input, canaries.system, canaries.turn, 'prompt', '"input"', '"system"', '"history"'],
    ],
    [['outputs'], [canaries.output, '"output":']],
    [['costs'], ['cost_usd":0', 'total_tokens', 'max_usd', '0.000000123', 'mean_without_cache', 'cheapest_model']],
    [['models'], ['sim-', 'simulator', 'provider', 'reasoning_effort']],
    [
      ['prompt', 'outputs', 'costs', 'models'],
      [...Object.values(canaries), 'cost_usd":0', '_tokens":1', 'sim-', 'simulator'],
    ],
  ])('without %j holds none of %j', async (redact, absent) => {
    const caller = await createCaller();
    const { token } = await share(caller, { subject: await evalWithCanaries(caller), redact });
    const { status, text, headers, body } = await view(token);
    expect(status).toBe(200);
    const whole = JSON.stringify([...headers]) + text.replace('"redacted":' + JSON.stringify(redact), '');
    for (const canary of absent) expect(whole).not.toContain(canary);
    expect(body.redacted).toEqual(redact);
    // Everything else is shown, except the parts that only details show.
    const shown = [
      ['prompt', canaries.prompt],
      ['prompt', canaries.system],
      ['prompt', canaries.turn],
      ['outputs', canaries.output],
      ['costs', 'total_cost_usd'],
      ['models', 'sim-titan'],
      ['models', '"reasoning_effort":"low"'],
    ] as const;
    for (const [what, canary] of shown) if (!redact.includes(what)) expect(text.includes(canary)).toBe(true);
    for (const member of ['charge_usd', 'vendor_model', 'details', 'eval_id', 'user_id'])
      expect(text).not.toContain(member);
  });

  it('hides the words of errors and warnings, which tell models apart', async () => {
    const caller = await createCaller();
    const subject = await compare(caller, {
      prompt: '[[sim:length=3]] [[sim-sage:fail=overloaded]] [[sim-quill:length=50]] [[sim-titan:think=50]]',
      options: { max_tokens: 20 },
    });
    const { token } = await share(caller, { subject, redact: ['models'] });
    const { results } = (await view(token)).body;
    expect(results.filter(({ error }: Json) => error !== undefined).map(({ error }: Json) => error)).toEqual([
      { code: 'overloaded', message: 'This model failed.', retryable: expect.any(Boolean) },
    ]);
    expect(
      results.filter(({ warnings }: Json) => warnings !== undefined).map(({ warnings }: Json) => warnings),
    ).toEqual(Array(2).fill([{ code: 'output_truncated', message: 'The output was truncated at max_tokens.' }]));
  });

  it('says nothing of blind models in texts, dated or with more behind them, nor in the names of checks', async () => {
    const caller = await createCaller();
    const prompt = '[[sim:say=I am sim-swift-2026-11-20, not sim-sagely]] for sim-quill_2';
    const subject = await compare(caller, {
      prompt,
      checks: [
        { type: 'contains', values: ['sim-swift'], name: 'says-sim-swift' },
        { type: 'length', max: 5 },
      ],
    });
    const { token } = await share(caller, { subject, redact: ['models'] });
    const { text, body } = await view(token);
    expect(text).not.toMatch(/sim-(swift|sage|quill|titan)|2026-11-20, not/);
    expect(body.prompt).toMatch(/^\[\[sim:say=I am Model [A-D], not Model [A-D]ly\]\] for Model [A-D]_2$/);
    for (const { output, checks } of body.results) {
      expect(output).toMatch(/^I am Model [A-D], not Model [A-D]ly$/);
      expect(checks.map(({ name }: Json) => name)).toEqual(['contains-1', 'length-2']);
    }
  });

  it('gives blind models names in an order of the link, the same on every view', async () => {
    const caller = await createCaller();
    const subject = await compare(caller);
    const outputs = (body: Json): string[] => body.results.map(({ output }: Json) => output);
    const orders = new Set<string>();
    for (let links = 0; links < 12; links += 1) {
      const { token } = await share(caller, { subject, redact: ['models'] });
      const [once, again] = [await view(token), await view(token)];
      expect(again.text).toBe(once.text);
      expect(once.body.models).toEqual(['Model A', 'Model B', 'Model C', 'Model D']);
      expect(once.body.results.map(({ model }: Json) => model)).toEqual(once.body.models);
      expect([once.body.agreement.models, once.body.statistics.models.map(({ model }: Json) => model)]).toEqual([
        once.body.models,
        once.body.models,
      ]);
      const fastest = once.body.results.find(({ model }: Json) => model === once.body.meta.fastest_model);
      expect(fastest.latency_ms).toBe(Math.min(...once.body.results.map(({ latency_ms: ms }: Json) => ms)));
      orders.add(outputs(once.body).join('\n'));
    }
    // Twelve links in one order would be a chance of 1 in 24^11.
    expect(orders.size).toBeGreaterThan(1);
    const own = outputs((await caller.get(`/api/v1/evals/${subject}`)).body).sort();
    for (const order of orders) expect(order.split('\n').sort()).toEqual(own.join('\n').split('\n').sort());
  });
});
