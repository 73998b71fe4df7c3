import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { worker } from '../../support/worker';

const MISSING = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';

const agreement = (caller: Caller, id: string) => caller.get(`/api/v1/evals/${id}/agreement`);

/** Runs a compare in which each model says its text. */
async function evalOf(caller: Caller, answers: Record<string, string>): Promise<string> {
  const prompt = Object.entries(answers)
    .map(([model, text]) => `[[${model}:say=${text}]]`)
    .join(' ');
  return (await caller.compare({ prompt, models: Object.keys(answers) })).body.eval_id as string;
}

/** Makes many samples of an eval with one, with long answers that all differ. */
async function withLongSamples(id: string, samples: number): Promise<void> {
  await onDatabase(worker().databaseUrl, async (client) => {
    await client.query(
      `insert into results (eval_id, position, model, provider, output, latency_ms, cost, input_tokens, output_tokens, error, warnings, details)
      select eval_id, position + sample * 4, model, provider, (select string_agg('word' || (word * (sample * 4 + position + 7) % 3001), ' ') from generate_series(1, 7000) word), latency_ms, cost, input_tokens, output_tokens, error, warnings, details
      from results, generate_series(1, $2::int - 1) sample where eval_id = $1`,
      [id, samples],
    );
    await client.query('update evals set samples = $2 where id = $1', [id, samples]);
  });
}

describe('The agreement of the models of an eval', () => {
  it('sees that 42 is 42.0 and not 43, that the order of keys does not count, and says so alike on every call', async () => {
    const caller = await createCaller();
    const numbers = await agreement(
      caller,
      await evalOf(caller, { 'sim-swift': '42', 'sim-quill': '42.0', 'sim-sage': '43', 'sim-titan': 'forty-two' }),
    );
    expect(numbers.status).toBe(200);
    expect(numbers.body).toEqual({
      models: ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'],
      metric: 'levenshtein',
      matrix: [
        [null, { agree: 1, similarity: 0.5 }, { agree: 0, similarity: 0.5 }, { agree: 0, similarity: 0 }],
        [{ agree: 1, similarity: 0.5 }, null, { agree: 0, similarity: 0.25 }, { agree: 0, similarity: 0 }],
        [{ agree: 0, similarity: 0.5 }, { agree: 0, similarity: 0.25 }, null, { agree: 0, similarity: 0 }],
        [{ agree: 0, similarity: 0 }, { agree: 0, similarity: 0 }, { agree: 0, similarity: 0 }, null],
      ],
      groups: [['sim-swift', 'sim-quill'], ['sim-sage'], ['sim-titan']],
      consensus: { share: 0.5, models: ['sim-swift', 'sim-quill'] },
    });
    const keys = await evalOf(caller, { 'sim-swift': '{"a": 1, "b": [true]}', 'sim-quill': '{"b":[true],"a":1.0}' });
    const first = await agreement(caller, keys);
    expect(first.body).toMatchObject({ groups: [['sim-swift', 'sim-quill']], consensus: { share: 1 } });
    for (let call = 0; call < 3; call += 1) expect((await agreement(caller, keys)).text).toBe(first.text);
  });

  it('leaves out a model that failed', async () => {
    const caller = await createCaller();
    const id = (
      await caller.compare({
        prompt: '[[sim-quill:fail]] [[sim-swift:say=yes]] [[sim-sage:say=Yes.]]',
        models: ['sim-swift', 'sim-quill', 'sim-sage'],
      })
    ).body.eval_id;
    const { body } = await agreement(caller, id);
    expect(body.matrix.map((row: ({ agree: number } | null)[]) => row.map((cell) => cell?.agree ?? null))).toEqual([
      [null, null, 1],
      [null, null, null],
      [1, null, null],
    ]);
    expect(body).toMatchObject({
      groups: [['sim-swift', 'sim-sage']],
      consensus: { share: 1, models: ['sim-swift', 'sim-sage'] },
    });
  });

  it('costs nothing and leaves the eval unchanged', async () => {
    const caller = await createCaller();
    const id = await evalOf(caller, { 'sim-swift': 'a', 'sim-sage': 'b' });
    const [before, usage] = [await caller.get(`/api/v1/evals/${id}?include=details`), await caller.usage()];
    await agreement(caller, id);
    expect((await caller.get(`/api/v1/evals/${id}?include=details`)).text).toBe(before.text);
    expect(await caller.usage()).toEqual(usage);
  });

  it("of another user's, an erased or a malformed eval is the same 404 as of a nonexistent one", async () => {
    const [owner, other] = [await createCaller(), await createCaller()];
    const [id, erased] = [await evalOf(owner, { 'sim-swift': 'a' }), await evalOf(owner, { 'sim-swift': 'a' })];
    await owner.delete(`/api/v1/evals/${erased}`);
    const answers = [
      await agreement(other, MISSING),
      await agreement(other, id),
      await agreement(owner, erased),
      await agreement(owner, 'eval_1'),
    ];
    expect(answers[0]?.body.error).toMatchObject({ code: 'not_found', message: 'No eval with this id exists.' });
    expect(new Set(answers.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'req')}`)).size).toBe(1);
  });

  it('of 200 long answers lets other requests have their turn', async () => {
    const [caller, neighbor] = [await createCaller(), await createCaller()];
    const id = await evalOf(caller, { 'sim-swift': 'a', 'sim-quill': 'b', 'sim-sage': 'c', 'sim-titan': 'd' });
    await withLongSamples(id, 50);
    let isDone = false;
    const long = agreement(caller, id).finally(() => (isDone = true));
    let meanwhile = 0;
    // As many as show it, or they would reach their rate limit on a slow machine.
    while (!isDone && meanwhile < 200) {
      expect((await neighbor.get('/api/v1/models')).status).toBe(200);
      meanwhile += 1;
    }
    const { status, body } = await long;
    expect([status, body.metric]).toEqual([200, 'token_f1']);
    expect(body.matrix[0][0]).toEqual({ agree: expect.any(Number), similarity: expect.any(Number) });
    // Had it been one piece of work, one or two of them would have been answered.
    expect(meanwhile).toBeGreaterThan(20);
  });
});
