import { operator, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { Caller, createCaller, eventually } from '../../support/factories';
import { worker } from '../../support/worker';

const HOSTILE = ['=1+1', '+1', '-1+1', '@SUM(1)', '\t=1', '\r=1', 'a"b,c\r\n=2', '{"a":1}\u2028'];
const ROWS = HOSTILE.map((input, index) => ({
  id: index === 0 ? '=id' : `row-${index}`,
  input,
  expected: 'yes',
  group: '@group',
}));

/** Starts an experiment and waits for its end. */
async function ended(caller: Caller, members: object = {}, rows: readonly object[] = ROWS): Promise<string> {
  const dataset = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
  const started = await caller.post('/api/v1/experiments', {
    dataset,
    prompt: '[[sim:say=yes]] {input}',
    models: ['sim-swift', 'sim-quill'],
    checks: [{ type: 'contains', values: ['{expected}'] }],
    max_cost_usd: 1,
    ...members,
  });
  const id = started.body.experiment_id as string;
  await eventually(
    'it has ended',
    async () =>
      (await caller.get(`/api/v1/experiments/${id}`, { headers: { prefer: 'wait=30' } })).body.state !== 'running',
  );
  return id;
}

const rowsOf = (caller: Caller, id: string, query = '', accept = 'application/json') =>
  caller.get(`/api/v1/experiments/${id}/rows${query}`, { headers: { accept } });

/** The cells of a CSV text; unquotes as RFC 4180 says. */
function cellsOf(csv: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') lines.push([]);
    if (end === '') break;
  }
  return lines.slice(0, -1);
}

async function keyOf(owner: Caller, scopes: string[]): Promise<Caller> {
  const { body } = await operator().post(`/api/v1/admin/users/${owner.userId}/keys`, { name: 'other', scopes });
  return new Caller(body.api_key, owner.userId, owner.email, body.id);
}

describe('The rows of an experiment', () => {
  let caller: Caller;
  let id: string;
  beforeAll(async () => {
    caller = await createCaller();
    id = await ended(caller);
  });

  it('come in pages in the order of their numbers, with texts and answers', async () => {
    const seen: Json[] = [];
    for (let path: string | undefined = `/api/v1/experiments/${id}/rows?limit=3&state=done`; path !== undefined;) {
      const { status, body, headers } = await caller.get(path);
      expect([status, body.limit]).toEqual([200, 3]);
      seen.push(...(body.rows as Json[]));
      path = /^<(\S+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen.map(({ row_no: no }) => no as number)).toEqual(ROWS.map((_, no) => no));
    expect(seen.map(({ input }) => input as string).sort()).toEqual(HOSTILE.toSorted());
    expect(seen[0]).toMatchObject({
      attempt: 1,
      state: 'done',
      eval_id: expect.stringMatching(/^eval_/),
      expected: 'yes',
      group: '@group',
    });
    expect(seen[0].results).toEqual(
      ['sim-swift', 'sim-quill'].map((model) => ({
        model,
        output: 'yes',
        passed: true,
        score: 1,
        latency_ms: expect.any(Number),
        cost_usd: expect.any(Number),
      })),
    );
    for (const state of ['failed', 'missing'])
      expect((await rowsOf(caller, id, `?state=${state}`)).body.rows).toEqual([]);
    expect((await rowsOf(caller, id, '?state=unknown')).status).toBe(400);
  });

  it('are exported as CSV without formulas, a line for each result', async () => {
    const { status, text, headers } = await rowsOf(caller, id, '?limit=1', 'text/csv');
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      `attachment; filename="${id}.csv"`,
    ]);
    const [head = [], ...lines] = cellsOf(text);
    expect(head).toEqual([
      'row_no',
      'row_id',
      'group',
      'input',
      'expected',
      'model',
      'sample',
      'output',
      'passed',
      'score',
      'latency_ms',
      'cost_usd',
      'error',
      'history',
    ]);
    expect(lines).toHaveLength(2 * ROWS.length);
    expect(lines.flat().filter((cell) => /^[=+\-@\t\r\n]/.test(cell))).toEqual([]);
    expect([...new Set(lines.map((line) => line[3]))].sort()).toEqual(
      HOSTILE.map((input) => (/^[=+\-@\t\r]/.test(input) ? `'${input}` : input)).sort(),
    );
    expect(lines.map((line) => line[1])).toContain("'=id");
    expect(lines[0]?.slice(4)).toEqual([
      'yes',
      'sim-swift',
      '',
      'yes',
      'true',
      '1',
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^0\.\d+$/),
      '',
      '',
    ]);
  });

  it('are exported as NDJSON, each line as in a page', async () => {
    const { text, headers } = await rowsOf(caller, id, '', 'application/x-ndjson');
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'application/x-ndjson; charset=utf-8',
      `attachment; filename="${id}.jsonl"`,
    ]);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual((await rowsOf(caller, id)).body.rows);
  });

  it('are read by their user only, with both scopes', async () => {
    const other = await createCaller();
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      const [foreign, unknown] = [
        await rowsOf(other, id, '', accept),
        await rowsOf(other, `exp_${'0'.repeat(26)}`, '', accept),
      ];
      expect([foreign.status, foreign.text.replace(/req_\w+/, '')]).toEqual([404, unknown.text.replace(/req_\w+/, '')]);
    }
    for (const scopes of [['experiments:read'], ['evals:read'], ['experiments']])
      expect((await rowsOf(await keyOf(caller, scopes), id)).status).toBe(403);
    expect((await rowsOf(await keyOf(caller, ['experiments:read', 'evals:read']), id)).status).toBe(200);
  });

  it('have the latest answer of each model over all attempts, and say what failed', async () => {
    const owner = await createCaller();
    const one = [{ id: 'r', input: 'a' }];
    const partly = await ended(
      owner,
      { prompt: '[[sim:say=yes]][[sim-quill:fail=overloaded]] {input}', options: { samples: 2 }, checks: undefined },
      one,
    );
    const [row] = (await rowsOf(owner, partly, '?state=missing')).body.rows as Json[];
    expect(
      row.results.map(({ model, sample, output, passed, error }: Json) => [model, sample, output, passed, error?.code]),
    ).toEqual([
      ['sim-swift', 0, 'yes', null, undefined],
      ['sim-swift', 1, 'yes', null, undefined],
      ['sim-quill', 0, '', null, 'overloaded'],
      ['sim-quill', 1, '', null, 'overloaded'],
    ]);
    await owner.patch(`/api/v1/experiments/${partly}`, { retry: 'missing' });
    await owner.get(`/api/v1/experiments/${partly}`, { headers: { prefer: 'wait=30' } });
    const [again] = (await rowsOf(owner, partly)).body.rows as Json[];
    expect([again.attempt, again.state, again.results.slice(0, 2)]).toEqual([2, 'done', row.results.slice(0, 2)]);
    const failed = await ended(owner, { prompt: '[[sim:fail=overloaded]] {input}', checks: undefined }, one);
    const [none] = (await rowsOf(owner, failed, '?state=failed')).body.rows as Json[];
    expect(none).toMatchObject({
      state: 'failed',
      eval_id: null,
      error: { code: 'all_models_failed' },
      results: [],
      cost_usd: 0,
    });
    expect(cellsOf((await rowsOf(owner, failed, '', 'text/csv')).text)[1]?.at(-2)).toMatch(
      /^sim-swift: overloaded: .*; sim-quill: overloaded: /,
    );
  });
});

describe('GET /api/v1/evals', () => {
  it('leaves evals of experiments out, unless it is asked for those of one', async () => {
    const caller = await createCaller();
    const { eval_id: own } = (await caller.compare({ prompt: 'outside yes', models: ['sim-swift'] })).body;
    const id = await ended(caller);
    const idsOf = async (query: string) =>
      ((await caller.get(`/api/v1/evals?${query}`)).body.evals as Json[]).map((one) => one.eval_id as string);
    for (const query of ['', 'q=yes', 'model=sim-swift', 'include=details']) expect(await idsOf(query)).toEqual([own]);
    expect(await idsOf('offset=1')).toEqual([]);
    const all = await idsOf(`experiment=${id}`);
    expect(all).toHaveLength(ROWS.length);
    expect(all.toSorted()).toEqual(
      ((await rowsOf(caller, id)).body.rows as Json[]).map((row) => row.eval_id as string).toSorted(),
    );
    expect(await idsOf(`experiment=${id}&offset=2&limit=2`)).toEqual(all.slice(2, 4));
    expect(await idsOf(`experiment=${id}&cursor=${all[2]}`)).toEqual(all.slice(3));
    expect(await idsOf(`experiment=${id}&q=YES&model=sim-quill`)).toEqual(all);
    const next = (await caller.get(`/api/v1/evals?experiment=${id}&limit=1`)).headers.get('link') ?? '';
    expect(next).toContain(`experiment=${id}`);
    await caller.patch(`/api/v1/evals/${all[0]}`, { starred: true });
    expect([await idsOf('starred=true'), await idsOf(`starred=true&experiment=${id}`)]).toEqual([[], [all[0]]]);
    const detailed = await caller.get(`/api/v1/evals/${all[0]}?include=details`);
    expect(detailed.body.details.experiment_id).toBe(id);
    expect((await caller.get(`/api/v1/evals/${all[0]}`)).text).not.toContain(id);
    const other = await createCaller();
    for (const asked of [id, `exp_${'0'.repeat(26)}`])
      for (const query of ['', '&q=yes']) {
        const { status, text } = await other.get(`/api/v1/evals?experiment=${asked}${query}`);
        expect([status, text.replace(/req_\w+/, '')]).toEqual([
          404,
          (await other.get(`/api/v1/experiments/${asked}`)).text.replace(/req_\w+/, ''),
        ]);
      }
  });
});

describe('DELETE /api/v1/experiments/:id', () => {
  it('erases every text, and keeps figures, counts, charges and the summary', async () => {
    const caller = await createCaller();
    const secret = `SECRET-${caller.userId.slice(-8)}`;
    const id = await ended(
      caller,
      {
        name: secret,
        prompt: `[[sim:say=${secret}]] {input}`,
        options: { system: secret, history: [{ role: 'user', content: secret }], temperature: 0.5 },
        checks: [{ type: 'contains', values: [secret] }],
      },
      [{ id: secret, input: 'a', group: secret }, { input: 'b' }],
    );
    const before = (await caller.get(`/api/v1/experiments/${id}`)).body;
    const summary = (await caller.get(`/api/v1/experiments/${id}/summary`)).body;
    const usage = await caller.usage();
    const stranger = await (await createCaller()).delete(`/api/v1/experiments/${id}`);
    expect(stranger.status).toBe(404);
    expect(
      (await (await keyOf(caller, ['experiments:read', 'evals:read'])).delete(`/api/v1/experiments/${id}`)).status,
    ).toBe(403);
    const erased = await caller.delete(`/api/v1/experiments/${id}`);
    expect([erased.status, erased.body]).toEqual([202, { experiment_id: id, state: 'erasing' }]);
    expect((await caller.get(`/api/v1/experiments/${id}`)).text).not.toContain(secret);
    await eventually(
      'it is erased',
      async () => (await caller.get(`/api/v1/experiments/${id}`)).body.state === 'erased',
    );
    expect((await caller.delete(`/api/v1/experiments/${id}`)).body).toEqual({ experiment_id: id, state: 'erased' });
    const after = (await caller.get(`/api/v1/experiments/${id}`)).body;
    expect(after).toEqual({ ...before, state: 'erased', name: null, prompt: null, options: null, checks: [] });
    expect(await caller.usage()).toEqual(usage);
    expect((await caller.get(`/api/v1/experiments/${id}/summary`)).body).toEqual(summary);
    const other = await ended(caller);
    for (const [one, another] of [
      [id, other],
      [other, id],
    ])
      expect((await caller.get(`/api/v1/experiments/${one}/comparison?against=${another}`)).body.error).toMatchObject({
        code: 'conflict',
        message: `The experiment ${id} was erased.`,
      });
    const { rows } = (await rowsOf(caller, id)).body;
    expect(
      rows.map(({ row_id: row, input, expected, group, results }: Json) => [row, input, expected, group, results]),
    ).toEqual([
      ['', null, null, undefined, []],
      ['', null, null, undefined, []],
    ]);
    expect((await rowsOf(caller, id, '', 'text/csv')).text).not.toContain(secret);
    expect((await caller.get(`/api/v1/evals/${rows[0].eval_id}`)).status).toBe(404);
    await onDatabase(worker().databaseUrl, async (client) => {
      for (const table of ['experiments', 'experiment_rows', 'evals', 'results']) {
        const { rowCount } = await client.query(
          `select from ${table} as t where (to_jsonb(t) - 'summary')::text like $1`,
          [`%${secret}%`],
        );
        expect([table, rowCount]).toEqual([table, 0]);
      }
      const { rows: entries } = await client.query<{ action: string }>(
        'select action from audit_entries where target_id = $1 order by id',
        [id],
      );
      expect(entries.map(({ action }) => action)).toEqual(['experiment.erased', 'experiment.evals_erased']);
    });
  });

  it('lets running rows end, charges them, and erases them then; nothing more is begun', async () => {
    const caller = await createCaller();
    const dataset = (
      await caller.post('/api/v1/datasets', {
        rows: Array.from({ length: 20 }, (_, index) => ({ input: `n${index}` })),
      })
    ).body.dataset_id as string;
    const { experiment_id: id } = (
      await caller.post('/api/v1/experiments', {
        dataset,
        prompt: '[[sim:slow=1500]] {input}',
        models: ['sim-swift'],
        max_cost_usd: 1,
        parallel: 2,
      })
    ).body;
    await eventually('rows run', async () => (await caller.get(`/api/v1/experiments/${id}`)).body.rows.running > 0);
    expect((await caller.delete(`/api/v1/experiments/${id}`)).body.state).toBe('erasing');
    expect((await caller.patch(`/api/v1/experiments/${id}`, { state: 'running' })).status).toBe(409);
    await eventually(
      'it is erased',
      async () => (await caller.get(`/api/v1/experiments/${id}`)).body.state === 'erased',
    );
    const { rows, cost_usd: cost, charge_usd: charge } = (await caller.get(`/api/v1/experiments/${id}`)).body;
    expect(rows).toMatchObject({ total: 20, running: 0, waiting: 0 });
    expect(rows.done).toBeGreaterThan(0);
    expect(rows.done).toBeLessThan(20);
    expect(cost).toBeGreaterThan(0);
    expect(await caller.usage()).toMatchObject({ eval_count: rows.done, total_charge_usd: charge });
    expect((await caller.get(`/api/v1/evals?experiment=${id}`)).body.evals).toEqual([]);
    // It had not ended, so there is no summary of before.
    expect((await caller.get(`/api/v1/experiments/${id}/summary`)).body.error.code).toBe('conflict');
  });
});
