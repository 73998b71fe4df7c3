import { operator, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { anotherKey, chargedOf, exact, sumOf, timesOf } from '../../support/ledger';
import { worker } from '../../support/worker';

const STATEMENT = '/api/v1/usage/statement';
const CSV = { headers: { accept: 'text/csv' } };
const HEADER = [
  'time',
  'eval_id',
  'models',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'margin',
  'charge_usd',
  'free',
  'reason',
];
const thisMonth = () => new Date().toISOString().slice(0, 7);

async function statementOf(caller: Caller, month?: string): Promise<Json> {
  const { status, text, headers } = await caller.get(month === undefined ? STATEMENT : `${STATEMENT}?month=${month}`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/json');
  // Only CSV is offered as a file.
  expect(headers.get('content-disposition')).toBeNull();
  return exact(text);
}

/** Reads CSV strictly by RFC 4180: CRLF after every line, quotes only where they must be. */
function readCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const rows: string[][] = [];
  const row: string[] = [];
  for (let rest = text; rest !== '';) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (match === null) throw new Error(`Not CSV from here: ${rest.slice(0, 60)}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') rows.push(row.splice(0));
    rest = rest.slice(match[0].length);
  }
  return rows;
}

async function csvOf(caller: Caller): Promise<string[][]> {
  const { status, text, headers } = await caller.get(STATEMENT, CSV);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe(`attachment; filename="statement-${thisMonth()}.csv"`);
  return readCsv(text);
}

async function adjust(caller: Caller, body: object) {
  return operator().post(`/api/v1/admin/users/${caller.userId}/adjustments`, body);
}

/** Two free evals, then charged ones with one and more models, one with a failed model; and one in which all failed. */
async function aMixedMonth(): Promise<{ caller: Caller; evals: Json[] }> {
  const caller = await createCaller({ freeQuota: 2 });
  const evals: Json[] = [];
  const bodies = [
    { prompt: 'free', models: ['sim-swift'] },
    { prompt: 'free too', models: ['sim-sage', 'sim-quill'] },
    { prompt: 'one', models: ['sim-swift'] },
    { prompt: 'all', models: ['sim-titan', 'sim-sage', 'sim-quill', 'sim-swift'] },
    { prompt: 'half [[sim-sage:fail=rejected]]', models: ['sim-sage', 'gpt-6-luna'] },
  ];
  for (const body of bodies) evals.push(exact((await caller.post('/api/v1/compare?include=details', body)).text));
  expect((await caller.compare({ prompt: '[[sim:fail=rejected]]', models: ['sim-swift'] })).status).toBe(502);
  return { caller, evals };
}

describe('GET /api/v1/usage/statement', () => {
  it('returns CSV where the Accept header prefers that, and JSON where it does not', async () => {
    const caller = await createCaller();
    const typeFor = async (accept: string) =>
      (await caller.get(STATEMENT, { headers: { accept } })).headers.get('content-type')?.split(';')[0];
    for (const accept of ['text/csv, application/json', 'application/json;q=0.5, text/csv', 'text/csv;header=present'])
      expect([accept, await typeFor(accept)]).toEqual([accept, 'text/csv']);
    for (const accept of ['application/json, text/csv', 'text/csv;q=0', '*/*'])
      expect([accept, await typeFor(accept)]).toEqual([accept, 'application/json']);
  });

  it('has one line for each eval, free ones too, and its totals are those of GET /usage to the last digit', async () => {
    const { caller, evals } = await aMixedMonth();
    const { month, lines, total } = await statementOf(caller);
    expect(month).toBe(thisMonth());
    expect(lines).toEqual(
      evals.map(({ eval_id, models, results, meta, details }) => ({
        time: meta.created_at,
        eval_id,
        models,
        margin: '0.4',
        free: details.free,
        reason: null,
        input_tokens: sumOf(results.map((result: Json) => result.input_tokens)),
        output_tokens: sumOf(results.map((result: Json) => result.output_tokens)),
        cost_usd: meta.total_cost_usd,
        charge_usd: details.free ? '0' : timesOf(meta.total_cost_usd, 14n, 10n),
      })),
    );
    expect(lines.map(({ free }: Json) => free)).toEqual([true, true, false, false, false]);
    expect(total).toEqual({
      eval_count: '5',
      free_eval_count: '2',
      charge_usd: await chargedOf(caller),
      cost_usd: sumOf(lines.map((line: Json) => line.cost_usd)),
    });
    expect(total.charge_usd).toBe(sumOf(lines.map((line: Json) => line.charge_usd)));
    expect(await caller.usage()).toMatchObject({ eval_count: 5, free_evals_remaining: 0 });
  });

  it('contains the same as CSV', async () => {
    const { caller } = await aMixedMonth();
    await adjust(caller, { amount_usd: -0.000001, reason: 'A "small", kind\r\ngesture' });
    const [header, ...rows] = await csvOf(caller);
    const total = rows.pop();
    const { lines, total: jsonTotal } = await statementOf(caller);
    expect(header).toEqual(HEADER);
    expect(rows).toEqual(
      lines.map((line: Json) =>
        HEADER.map((column) => (column === 'models' ? line.models.join(' ') : String(line[column] ?? ''))),
      ),
    );
    const sum = (column: string) => sumOf(lines.map((line: Json) => line[column]));
    expect(total).toEqual([
      'total',
      '',
      '',
      sum('input_tokens'),
      sum('output_tokens'),
      jsonTotal.cost_usd,
      '',
      jsonTotal.charge_usd,
      '',
      '',
    ]);
    expect(total?.[7]).toBe(await chargedOf(caller));
  });

  it.each([
    '=1+1',
    '+1',
    '-1+1',
    '-2',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    "-1+cmd|' /C calc'!A0",
    '=HYPERLINK("http://x","y")',
    ',',
    '"',
    '""',
    'a,b',
    'a\r\nb',
    "'",
    'Grüße 語 \u{1F600}',
  ])('keeps a reason such as %j in one cell that no spreadsheet takes for a formula', async (reason) => {
    const caller = await createCaller();
    expect((await adjust(caller, { amount_usd: 1, reason })).status).toBe(201);
    const [, row] = await csvOf(caller);
    expect(row).toHaveLength(HEADER.length);
    const cell = row?.[9] ?? '';
    expect([reason, `'${reason}`]).toContain(cell);
    // A plain number is what it looks like; anything else must not begin like a formula.
    if (!/^-?\d+(\.\d+)?$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
    expect((await statementOf(caller)).lines[0].reason).toBe(reason);
  });

  it('has no lines and zeros for a month without evals', async () => {
    const caller = await createCaller();
    for (const month of ['2020-02', '2199-12']) {
      expect(await statementOf(caller, month)).toEqual({
        month,
        lines: [],
        total: { eval_count: '0', free_eval_count: '0', cost_usd: '0', charge_usd: '0' },
      });
    }
    expect(await csvOf(caller)).toEqual([HEADER, ['total', '', '', '0', '0', '0', '', '0', '', '']]);
  });

  it('never shows what another user was charged', async () => {
    const [one, other] = [await createCaller({ freeQuota: 0 }), await createCaller({ freeQuota: 0 })];
    await one.compare({ prompt: 'mine', models: ['sim-swift'] });
    expect((await statementOf(other)).lines).toEqual([]);
    expect((await statementOf(one)).lines).toHaveLength(1);
  });

  it.each([
    ['statement', 'month', '2026-13'],
    ['statement', 'month', 'now'],
    ['breakdown', 'month', '2026-1'],
    ['breakdown', 'by', 'user'],
    ['breakdown', 'by', ''],
  ])('is rejected, like a breakdown: %s?%s=%s', async (what, param, value) => {
    const { status, body } = await (await createCaller()).get(`/api/v1/usage/${what}?${param}=${value}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('A correction by the admin', () => {
  it('counts in usage and appears in the statement, whatever its sign and however small', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    await caller.compare({ prompt: 'one', models: ['sim-swift'] });
    const before = await chargedOf(caller);
    const amounts: [number, string][] = [
      [2.5, '2.5'],
      [-0.1, '-0.1'],
      [-0.2, '-0.2'],
      [1e-12, '0.000000000001'],
      [-1e-7, '-0.0000001'],
      [1_000_000_000, '1000000000'],
      [-1_000_000_000, '-1000000000'],
    ];
    for (const [amount, printed] of amounts) {
      const { status, text } = await adjust(caller, { amount_usd: amount, reason: `by ${printed}` });
      expect(status).toBe(201);
      expect(exact(text)).toMatchObject({ month: thisMonth(), amount_usd: printed, reason: `by ${printed}` });
    }
    expect(await chargedOf(caller)).toBe(sumOf([before, ...amounts.map(([, printed]) => printed)]));
    const { lines, total } = await statementOf(caller);
    expect(lines.slice(1)).toEqual(
      amounts.map(([, printed]) => ({
        time: expect.any(String),
        eval_id: null,
        models: [],
        input_tokens: '0',
        output_tokens: '0',
        cost_usd: '0',
        margin: '0',
        charge_usd: printed,
        free: false,
        reason: `by ${printed}`,
      })),
    );
    expect(total).toMatchObject({ eval_count: '1', charge_usd: await chargedOf(caller) });
    expect(await caller.usage()).toMatchObject({ eval_count: 1 });
  });

  it('counts in its own month only, also in one without evals', async () => {
    const caller = await createCaller();
    const { body } = await adjust(caller, { amount_usd: -3.25, reason: 'Outage', month: '2026-03' });
    expect(body.month).toBe('2026-03');
    expect(await chargedOf(caller, '2026-03')).toBe('-3.25');
    expect(await chargedOf(caller)).toBe('0');
    expect((await statementOf(caller, '2026-03')).total).toEqual({
      eval_count: '0',
      free_eval_count: '0',
      cost_usd: '0',
      charge_usd: '-3.25',
    });
    expect((await statementOf(caller)).lines).toEqual([]);
    // The operator reads the same of either month.
    for (const month of ['2026-03', thisMonth()])
      expect((await operator().get(`/api/v1/admin/users/${caller.userId}/usage?month=${month}`)).text).toBe(
        (await caller.get(`/api/v1/usage?month=${month}`)).text,
      );
  });

  it('changes what is left of the spend limit, in either direction', async () => {
    const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1 });
    const order = { prompt: 'Hello', models: ['sim-swift'] };
    await adjust(caller, { amount_usd: 1, reason: 'Set-up' });
    expect((await caller.compare(order)).body.error.code).toBe('spend_limit_reached');
    await adjust(caller, { amount_usd: -0.5, reason: 'Goodwill' });
    expect((await caller.compare(order)).status).toBe(200);
  });

  it.each([
    { amount_usd: 1e-13 },
    { amount_usd: '1' },
    { amount_usd: 2e9 },
    { reason: ' ' },
    { reason: undefined },
    { month: '2026-13' },
    { user: 'x' },
  ])('is rejected with %j', async (members) => {
    const caller = await createCaller();
    expect((await adjust(caller, { amount_usd: 1, reason: 'why', ...members })).status).toBe(400);
    expect((await statementOf(caller)).lines).toEqual([]);
  });

  it('is forbidden to users, and impossible for a user who does not exist', async () => {
    const caller = await createCaller();
    expect(
      (await caller.post(`/api/v1/admin/users/${caller.userId}/adjustments`, { amount_usd: -1, reason: 'me' })).status,
    ).toBe(403);
    expect(
      (
        await operator().post('/api/v1/admin/users/user_01k9z3t5v7x9b1d3f5h7k9m1n3/adjustments', {
          amount_usd: -1,
          reason: 'who',
        })
      ).status,
    ).toBe(404);
  });
});

describe('GET /api/v1/usage/breakdown', () => {
  it('adds up, by model, day or key, to the totals of the month', async () => {
    const { caller } = await aMixedMonth();
    const second = await anotherKey(caller);
    await second.compare({ prompt: 'by the other key', models: ['sim-swift', 'gpt-5.4-mini'] });
    const { lines, total } = await statementOf(caller);
    const parts: Record<string, Json[]> = {};
    for (const by of ['model', 'day', 'key']) {
      const answer = exact((await caller.get(`/api/v1/usage/breakdown?by=${by}`)).text);
      expect(answer).toMatchObject({ month: thisMonth(), by });
      parts[by] = answer.items;
      expect(sumOf(answer.items.map((item: Json) => item.cost_usd))).toBe(total.cost_usd);
      expect(sumOf(answer.items.map((item: Json) => item.charge_usd))).toBe(await chargedOf(caller));
      for (const column of ['input_tokens', 'output_tokens'])
        expect(sumOf(answer.items.map((item: Json) => item[column]))).toBe(
          sumOf(lines.map((line: Json) => line[column])),
        );
    }
    const itemsOf = (by: string) => parts[by]?.map(({ item, eval_count: count }) => [item, count]);
    expect(itemsOf('key')).toEqual(
      [
        [caller.keyId, '5'],
        [second.keyId, '1'],
      ].sort(),
    );
    expect(itemsOf('model')).toEqual([
      ['gpt-5.4-mini', '1'],
      ['gpt-6-luna', '1'],
      ['sim-quill', '2'],
      ['sim-sage', '3'],
      ['sim-swift', '4'],
      ['sim-titan', '1'],
    ]);
    expect(sumOf(parts['day']?.map((item) => item.eval_count) ?? [])).toBe('6');
    // A model that failed took part, and cost nothing; free ones cost us something and the user nothing.
    expect(parts['model']?.find(({ item }) => item === 'sim-titan')?.charge_usd).toBe(
      timesOf(parts['model']?.find(({ item }) => item === 'sim-titan')?.cost_usd, 14n, 10n),
    );
  });

  it('names keys, and nothing else', async () => {
    const caller = await createCaller();
    await caller.compare({ prompt: 'Hello', models: ['sim-swift'] });
    const [byKey, byModel] = [
      await caller.get('/api/v1/usage/breakdown?by=key'),
      await caller.get('/api/v1/usage/breakdown?by=model'),
    ];
    expect([byKey.body.items[0].name, 'name' in byModel.body.items[0]]).toEqual([
      (await caller.get('/api/v1/key')).body.name,
      false,
    ]);
  });

  it('shows its month alone, neither those before nor those after it, and no other user', async () => {
    const [caller, other] = [await createCaller(), await createCaller()];
    const months = ['2020-01', '2020-02', '2020-03'];
    await onDatabase(worker().databaseUrl, async (client) => {
      for (const { userId } of [caller, other]) {
        for (const [index, month] of months.entries()) {
          await client.query(
            `insert into breakdown_totals (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
            select $1, $2, dimension, $2 || dimension, $3, 1, 1, 0, 0 from unnest(array['model', 'day', 'key']) as dimension`,
            [userId, month, userId === caller.userId ? index + 1 : 9],
          );
        }
      }
    });
    for (const by of ['model', 'day', 'key']) {
      for (const [index, month] of months.entries()) {
        const { body } = await caller.get(`/api/v1/usage/breakdown?by=${by}&month=${month}`);
        expect(body.items.map(({ item, eval_count: count }: Json) => [item, count])).toEqual([
          [`${month}${by}`, index + 1],
        ]);
      }
      expect((await caller.get(`/api/v1/usage/breakdown?by=${by}&month=2019-12`)).body.items).toEqual([]);
    }
  });

  it('omits corrections, and is empty without evals', async () => {
    const caller = await createCaller();
    await adjust(caller, { amount_usd: 1, reason: 'why' });
    for (const by of ['model', 'day', 'key'])
      expect((await caller.get(`/api/v1/usage/breakdown?by=${by}`)).body.items).toEqual([]);
    expect((await caller.get('/api/v1/usage/breakdown')).body.by).toBe('model');
  });
});
