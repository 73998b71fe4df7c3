import { onDatabase } from '../../support/database';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, type Caller } from '../../support/factories';
import { answered, evalsOf, judging, rates, ROWS, rowsOf, summaryOf } from '../../support/judged-capitals';
import { worker } from '../../support/worker';

describe('What a judge does not say', () => {
  let caller: Caller;
  let of: string;
  beforeAll(async () => {
    caller = await createCaller({ freeQuota: 100 });
    of = await answered(caller);
  });

  it.each([
    ['answers nonsense', '[[sim:say=Both are fine, I think.]]'],
    ['gives a verdict with another mark', '[[sim:say=VERDICT 00000000: pass]]'],
    ['answers twice', '[[sim:say=VERDICT 00000000: pass\nVERDICT 00000000: fail]]'],
    ['repeats what it was asked', '[[sim:echo]]'],
    ['is cut off while it thinks', '[[sim:think=400]]'],
  ])('counts a judge that %s as unreadable, which is missing, and no failure of a model', async (_, criterion) => {
    const end = await judging(caller, of, { kind: 'rubric', rows: 2, criterion });
    expect(end.rows).toMatchObject({ total: 14, done: 14, failed: 0 });
    const { models, judgment, ranking, recommendation } = await summaryOf(caller, end);
    expect(judgment.judges).toMatchObject([{ verdicts: 0, unreadable: 14, decoys: 0, gullible: false, self_pairs: 0 }]);
    expect([ranking, recommendation.model]).toEqual([null, null]);
    for (const model of models) expect(model).toMatchObject({ failed: 0, passed: null, score: null });
    for (const { results } of await rowsOf(caller, end))
      expect(results).toMatchObject([{ model: 'sim-titan', passed: null, score: null }]);
  });

  it.each([
    ['fails', '[[sim:fail=content_refused]]', 'content_refused'],
    ['refuses', '[[sim:refusal]]', 'content_refused'],
  ])('counts a judge that %s as missing, and no failure of a model', async (_, criterion, code) => {
    const end = await judging(caller, of, { kind: 'rubric', rows: 2, criterion });
    expect([end.state, end.rows, end.cost_usd]).toMatchObject([
      'finished',
      { total: 14, done: 0, failed: 14 },
      expect.any(Number),
    ]);
    const { models, judgment } = await summaryOf(caller, end);
    expect(judgment.judges).toMatchObject([{ verdicts: 0, unreadable: 0, gullible: false }]);
    for (const model of models) expect(model).toMatchObject({ failed: 0, passed: null });
    expect(JSON.stringify(await rowsOf(caller, end))).toContain(code);
  });

  it('pauses once a judge has failed in 20 rows in a row', async () => {
    const end = await judging(caller, of, { criterion: '[[sim:fail=content_refused]]' });
    expect(end).toMatchObject({
      state: 'paused',
      reason: 'failing',
      reason_detail: 'sim-titan gave no answer in 20 rows in a row.',
    });
    expect(await summaryOf(caller, end)).toMatchObject({ final: false, recommendation: null });
  });

  it('says in which rows a judged model gave no answer, and judges the others', async () => {
    const rows = ROWS.map((row, no) => ({
      ...row,
      variables: { ...row.variables, fault: no === 4 ? 'fail=content_refused' : 'say=Rome' },
    }));
    const prompt = '{input} [[sim-swift:say={capital}]] [[sim-quill:{fault}]]';
    const there = await answered(caller, { prompt, models: ['sim-swift', 'sim-quill'] }, rows);
    const end = await judging(caller, there, { kind: 'rubric' });
    expect(end.rows).toMatchObject({ total: 18, done: 17, failed: 1 });
    const [failed] = (await rowsOf(caller, end)).filter(({ state }) => state === 'failed');
    expect(failed).toMatchObject({ error: { message: 'sim-quill gave no answer that could be judged.' } });
    const { models, judgment } = await summaryOf(caller, end);
    expect(judgment.judges).toMatchObject([{ verdicts: 17, unreadable: 0 }]);
    expect(rates(models, 'passed')).toEqual([
      ['sim-swift', 1],
      ['sim-quill', 0.25],
    ]);
  });

  it('judges answers that were added to an experiment after others were judged', async () => {
    const there = await answered(caller, { models: ['sim-swift', 'sim-quill'] });
    const judge = { kind: 'rubric', rows: 1 };
    await onDatabase(worker().databaseUrl, async (client) => {
      const missing = (set: string) =>
        client.query(
          `update results set ${set} where position = 1 and eval_id = (select eval_id from experiment_rows where experiment_id = $1 and row_no = 0)`,
          [there],
        );
      await missing(`error = '{"code": "content_refused", "message": "No."}'`);
      await client.query(`update experiment_rows set missing = '{sim-quill}' where experiment_id = $1 and row_no = 0`, [
        there,
      ]);
    });
    expect((await judging(caller, there, judge)).rows).toMatchObject({ done: 9, failed: 1 });
    expect((await caller.patch(`/api/v1/experiments/${there}`, { retry: 'missing' })).status).toBe(200);
    expect((await endedExperiment(caller, there)).state).toBe('finished');
    expect((await judging(caller, there, judge)).rows).toMatchObject({ done: 10, failed: 0 });
  });

  it('reads 24,000 characters of an answer, and says how many answers were cut', async () => {
    const there = await answered(
      caller,
      { prompt: '{input} [[sim-swift:length=16000]]', options: { max_tokens: 16_000 } },
      ROWS.slice(0, 2),
    );
    const end = await judging(caller, there);
    expect(end.rows).toMatchObject({ total: 20, done: 20 });
    const cut = (await evalsOf(end)).filter(({ question }) => question.includes('\n[cut here]\n-----'));
    // Both pairs of the model in both orders, and its answer beside each decoy and itself.
    expect(cut).toHaveLength(8 + 2 * 2 * 2);
    for (const { question } of cut) expect(question.length).toBeLessThan(50_000);
    expect((await summaryOf(caller, end)).warnings).toContain(
      'Judges read only the first 24,000 characters of 2 answers.',
    );
  });
});
