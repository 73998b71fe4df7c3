import type { Json } from '../../support/api';
import { columnsWith, onDatabase } from '../../support/database';
import { createCaller, eventually, untilWaitedFor, type Caller } from '../../support/factories';
import { answered, bodyOf, judging, MODELS, rates, ROWS, summaryOf } from '../../support/judged-capitals';
import { anotherKey } from '../../support/ledger';
import { worker } from '../../support/worker';

const query = async (sql: string, values: unknown[]): Promise<Json[]> =>
  onDatabase(worker().databaseUrl, async (client) => (await client.query<Json>(sql, values)).rows);

/** Votes on the next ballot of an experiment of judges. */
async function vote(voter: Caller, { experiment_id: id }: Json, winner: string): Promise<void> {
  const { ballot } = (await voter.get(`/api/v1/experiments/${id}/ballot`)).body;
  expect((await voter.post(`/api/v1/experiments/${id}/votes`, { ballot, winner })).status).toBe(201);
}

describe('The votes of people', () => {
  it('change the summary of the judges that they vote on, also after it was final', async () => {
    const caller = await createCaller();
    const [one, two] = [await anotherKey(caller, {}), await anotherKey(caller, {})];
    const end = await judging(caller, await answered(caller), { kind: 'rubric' });
    const before = await summaryOf(caller, end);
    expect([before.final, before.judgment.people]).toEqual([true, null]);
    expect(before.judgment.cautions).toEqual(['No person has checked these verdicts: 20 votes on the page do.']);
    await vote(caller, end, 'yes');
    expect((await summaryOf(caller, end)).judgment.people).toMatchObject({
      votes: 1,
      voters: 1,
      agreement: { voted_twice: 0 },
    });
    for (const voter of [one, two]) await vote(voter, end, 'no');
    const after = await summaryOf(caller, end);
    expect(after.judgment).toMatchObject({
      people: { votes: 3, voters: 3, agreement: { voted_twice: 1 } },
      judges: [{ agreement: { with_people: { labels: 1 } } }],
    });
    expect(after.judgment.people.ranking).toMatchObject([{ rate: 0.333333 }]);
    // The verdicts stay what they are.
    expect(rates(after.models, 'passed')).toEqual(rates(before.models, 'passed'));
    expect(await summaryOf(caller, end)).toEqual(after);
    const [{ summary: kept }] = await query('select summary from experiments where id = $1', [end.experiment_id]);
    expect(kept.judgment).toEqual(after.judgment);
  });

  it('are not lost if they come between the computing and the keeping of a summary', async () => {
    const caller = await createCaller();
    const end = await judging(caller, await answered(caller), { kind: 'rubric' });
    const id = end.experiment_id as string;
    await summaryOf(caller, end);
    await vote(caller, end, 'yes');
    await onDatabase(worker().databaseUrl, async (client) => {
      // As a vote does: it locks the experiment, stores the vote, and commits.
      await client.query('begin');
      await client.query('select from experiments where id = $1 for update', [id]);
      const old = summaryOf(caller, end);
      await untilWaitedFor(client);
      await client.query(
        `insert into experiment_votes (experiment_id, row_no, item_no, voter, winner, is_random, voted_at)
         select experiment_id, row_no, item_no, 'key other', 'no', is_random, voted_at from experiment_votes where experiment_id = $1`,
        [id],
      );
      await client.query('commit');
      expect((await old).judgment.people.votes).toBe(1);
    });
    expect((await summaryOf(caller, end)).judgment.people).toMatchObject({ votes: 2, voters: 2 });
  });
});

describe('The erasure of a judged experiment', () => {
  const SECRET = 'Qponmlkjih';
  const secret = { name: `${SECRET} 1`, options: { system: `${SECRET} 2` }, prompt: `{input} [[sim:say=${SECRET} 3]]` };
  const rows = ROWS.map((row, no) => ({ ...row, id: `${SECRET}-${no}`, group: `${SECRET}-${no % 3}` }));
  const judge = { criterion: `It says ${SECRET}. [[sim:judge=fair]]` };
  const stored = async () =>
    (await columnsWith(worker().databaseUrl, SECRET)).filter((column) => !column.startsWith('dataset_rows.'));
  const stateOf = async (caller: Caller, id: string) => (await caller.get(`/api/v1/experiments/${id}`)).body;
  // A repeated request wakes the erasure, which begins once no row runs.
  const erased = (caller: Caller, id: string, of = id) =>
    eventually('it is erased', async () => {
      await caller.delete(`/api/v1/experiments/${of}`);
      return (await stateOf(caller, id)).state === 'erased';
    });

  it('erases the texts of its judges, and keeps their figures, summaries and charges', async () => {
    const caller = await createCaller();
    const of = await answered(caller, secret, rows);
    const ends = [await judging(caller, of, judge), await judging(caller, of, { ...judge, kind: 'rubric', scale: 5 })];
    await vote(caller, ends[0], 'tie');
    const all = [{ experiment_id: of }, ...ends];
    const [summaries, usage] = [await Promise.all(all.map((one) => summaryOf(caller, one))), await caller.usage()];
    expect(await stored()).not.toEqual([]);
    await query('update experiments set summary = null where judge_of = $1', [of]);
    expect((await caller.delete(`/api/v1/experiments/${of}`)).status).toBe(202);
    for (const { experiment_id: id } of all) await erased(caller, id as string, of);
    expect(await stored()).toEqual([]);
    for (const end of ends) {
      expect(await stateOf(caller, end.experiment_id)).toEqual({
        ...end,
        ...{ state: 'erased', name: null, prompt: null, judge: { ...end.judge, criterion: null } },
      });
      const { status, body } = await caller.post('/api/v1/experiments', bodyOf(of, {}));
      expect([status, body.error.param]).toEqual([409, 'judge.of']);
    }
    const [ofFirst, ...ofJudges] = await Promise.all(all.map((one) => summaryOf(caller, one)));
    expect(ofJudges).toEqual(summaries.slice(1));
    const { judged_by: judgedBy, ...figures } = summaries[0];
    expect(ofFirst).toEqual({ ...figures, judged_by: judgedBy.map((one: Json) => ({ ...one, state: 'erased' })) });
    expect(await caller.usage()).toEqual(usage);
    expect(
      await query('select 1 from evals where experiment_id = any($1)', [all.map((one) => one.experiment_id as string)]),
    ).toEqual([]);
  });

  it('erases judges that run or wait, whose running rows end before', async () => {
    const caller = await createCaller();
    const of = await answered(caller, { ...secret, models: MODELS.slice(0, 2) }, rows);
    const slow = { ...bodyOf(of, { criterion: `${SECRET} [[sim:slow=600]]` }), parallel: 2 };
    const { experiment_id: id } = (await caller.post('/api/v1/experiments', slow)).body;
    await eventually('some rows have ended', async () => {
      const { rows: counts } = await stateOf(caller, id);
      return counts.done > 0 && counts.running > 0;
    });
    const dataset = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
    const rubric = { type: 'rubric', criterion: `${SECRET} 5`, judge: 'sim-titan' };
    const asking = {
      dataset,
      prompt: `${SECRET} {input} [[sim:slow=600]]`,
      models: ['sim-swift'],
      checks: [rubric],
      max_cost_usd: 1,
      parallel: 1,
    };
    const { experiment_id: first } = (await caller.post('/api/v1/experiments', asking)).body;
    const [{ experiment_id: waiting }] = (await caller.get('/api/v1/experiments')).body.experiments.filter(
      (one: Json) => one.judge?.of === first,
    );
    for (const one of [of, first])
      expect((await caller.delete(`/api/v1/experiments/${one}`)).body.state).toMatch(/^eras/);
    for (const [one, by] of [
      [of, of],
      [id, of],
      [first, first],
      [waiting, first],
    ])
      await erased(caller, one, by);
    expect(await stored()).toEqual([]);
    const { rows: counts, cost_usd: cost } = await stateOf(caller, id);
    expect(counts).toMatchObject({ total: 18, failed: 0, running: 0, waiting: 0 });
    expect(counts.done).toBeLessThan(18);
    const [{ rows: charged }] = await query(
      `select count(*)::integer as rows from experiment_rows join charges using (eval_id) where experiment_id = $1`,
      [id],
    );
    expect([charged, cost > 0]).toEqual([counts.done, true]);
    expect(await stateOf(caller, waiting)).toMatchObject({ state: 'erased', rows: { done: 0 }, cost_usd: 0 });
  });
});
