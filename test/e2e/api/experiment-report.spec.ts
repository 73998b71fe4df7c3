import { CANCELED_EXPERIMENT } from '../../../src/modules/experiments/experiment.entity';
import type { Json } from '../../support/api';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { anotherKey } from '../../support/ledger';

const MODELS = ['sim-swift', 'sim-titan'];
const HOSTILE = '| `x` <script>alert(1)</script> [a](https://example.org) ``` \u202e';

/** 12 rows: sim-titan passes all, sim-swift fails in the first two. */
async function experimentOf(caller: Caller, about: object = {}): Promise<string> {
  const rows = Array.from({ length: 12 }, (_, no) => ({
    id: `row-${no}`,
    input: `SECRET input ${no} ${HOSTILE}`,
    expected: 'right',
    variables: { swift: no < 2 ? 'wrong' : 'right' },
  }));
  const { body } = await caller.post('/api/v1/datasets?name=rows', rows.map((row) => JSON.stringify(row)).join('\n'), {
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const started = await caller.post('/api/v1/experiments', {
    dataset: body.dataset_id,
    name: 'SECRET name | **bold** <b>',
    prompt: 'SECRET prompt {input} [[sim-swift:say={swift}]] [[sim-titan:say=right]]',
    models: MODELS,
    checks: [{ type: 'equals', value: '{expected}', name: 'secret-check' }],
    max_cost_usd: 1,
    ...about,
  });
  expect(started.status).toBe(202);
  return started.body.experiment_id;
}

const reportOf = (caller: Caller, id: string, query = '', accept = 'text/markdown') =>
  caller.get(`/api/v1/experiments/${id}/report${query}`, { headers: { accept } });

describe('The report of an experiment', () => {
  let caller: Caller;
  let id: string;
  beforeAll(async () => {
    caller = await createCaller();
    id = await experimentOf(caller);
    await endedExperiment(caller, id);
  });

  it('says in one sentence what to take, and the rest after it, with the same bytes each time', async () => {
    const { status, headers, text } = await reportOf(caller, id);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    const { body: summary } = await caller.get(`/api/v1/experiments/${id}/summary`);
    expect(text.split('\n')[2]?.replaceAll('\\', '')).toBe(`**${summary.recommendation.words}**`);
    expect(text.match(/^#+ .*/gm)).toEqual(
      [
        '# SECRET name \\| \\*\\*bold\\*\\* &lt;b&gt;',
        '## Rows in which models differ',
        '### Row row-0',
        '### Row row-1',
        '## What was asked',
        '## What it does not show',
      ].sort((left, right) => text.indexOf(left) - text.indexOf(right)),
    );
    expect(text).toContain('| 1\\. sim-titan |');
    const { body: experiment } = await caller.get(`/api/v1/experiments/${id}`);
    expect(text).toContain(`Cost: \\$${String(experiment.cost_usd)}`);
    expect((await reportOf(caller, id)).text).toBe(text);
  });

  it('has no text of the user without texts', async () => {
    const { text } = await reportOf(caller, id, '?texts=false');
    expect(text).not.toMatch(/SECRET|secret|row-\d|right|wrong/);
    expect(text).toMatch(/Prompt: SHA-256 [0-9a-f]{64}/);
  });

  it('is a page with a picture for browsers, without scripts of anybody', async () => {
    const { headers, text } = await reportOf(caller, id, '', 'text/html');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(
      text.match(
        /<(?!\/?(html|head|meta|title|style|body|h[1-3]|p|strong|table|thead|tbody|tr|th|td|ul|li|pre|code|svg|line|circle|text)\b|!doctype html)/g,
      ),
    ).toBeNull();
    expect(text.match(/<circle /g)).toHaveLength(2);
    expect(text).not.toContain('href');
  });

  it('takes the tolerance and the number of rows', async () => {
    const wide = (await reportOf(caller, id, '?tolerance=0.2&rows=1')).text;
    expect(wide.match(/^### /gm)).toHaveLength(1);
    expect((await reportOf(caller, id, '?rows=0')).text).not.toContain('###');
    for (const query of ['?rows=11', '?rows=-1', '?texts=maybe', '?tolerance=0.3', '?tolerance=x'])
      expect([query, (await reportOf(caller, id, query)).body.error.code]).toEqual([query, 'invalid_request']);
  });

  it('begins with the decision', async () => {
    const own = await createCaller();
    const there = await experimentOf(own);
    await endedExperiment(own, there);
    await own.call('PUT', `/api/v1/experiments/${there}/decision`, { model: 'sim-swift', reason: `Cheap ${HOSTILE}` });
    const { text } = await reportOf(own, there);
    expect(text.split('\n')[2]).toBe('**Decided: sim-swift.**');
    expect(text).toContain('Cheap');
    expect((await reportOf(own, there, '?texts=false')).text).not.toContain('Cheap');
  });

  it('needs both scopes, and an experiment of the user', async () => {
    for (const scopes of [['experiments:read'], ['evals:read']])
      expect((await reportOf(await anotherKey(caller, { scopes }), id)).body.error.code).toBe('insufficient_scope');
    expect((await reportOf(await createCaller(), id)).status).toBe(404);
  });

  it('keeps its figures after the erasure, and loses its texts', async () => {
    const own = await createCaller();
    const there = await experimentOf(own);
    await endedExperiment(own, there);
    await caller.get(`/api/v1/experiments/${there}/summary`);
    await own.delete(`/api/v1/experiments/${there}`);
    await eventually(
      'it is erased',
      async () => (await own.get(`/api/v1/experiments/${there}`)).body.state === 'erased',
    );
    const { status, text } = await reportOf(own, there);
    expect([status, text]).toEqual([200, expect.stringContaining('sim-titan')]);
    expect(text).not.toContain('SECRET');
  });
});

describe('A shared experiment', () => {
  let caller: Caller;
  let id: string;
  const share = (body: object) => caller.post('/api/v1/shares', { subject: id, ...body });
  const open = (token: string) => caller.get(`/api/v1/shared/${token}`, { headers: { authorization: '' } });
  beforeAll(async () => {
    caller = await createCaller();
    id = await experimentOf(caller);
    await endedExperiment(caller, id);
    await caller.call('PUT', `/api/v1/experiments/${id}/decision`, {
      model: 'sim-titan',
      reason: 'SECRET reason',
      tolerance: 0.05,
    });
  });

  it('shows figures and the decision without texts, keys, ids and charges', async () => {
    const issued = await share({});
    expect([issued.status, issued.body.subject]).toEqual([201, id]);
    const { status, body, text, headers } = await open(issued.body.token);
    expect(status).toBe(200);
    expect([headers.get('cache-control'), headers.get('x-robots-tag'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'noindex',
      'no-referrer',
    ]);
    expect(text).not.toMatch(/SECRET|eval_|key_|user_|exp_|charge|"test"|right|wrong/);
    expect(body.decision).toEqual({
      model: 'sim-titan',
      reason: null,
      tolerance: 0.05,
      decided_at: expect.any(String),
    });
    expect(body.summary.recommendation.tolerance).toBe(0.05);
    expect([body.texts, body.name, body.prompt, body.checks, body.rows]).toEqual([false, null, null, [], []]);
    const { body: own } = await caller.get(`/api/v1/experiments/${id}/summary?tolerance=0.05`);
    expect(body.summary.models.map(({ passed }: Json) => passed)).toEqual(own.models.map(({ passed }: Json) => passed));
  });

  it('shows its texts if asked for, and the latest decision', async () => {
    const { token } = (await share({ texts: true })).body;
    const { body, text } = await open(token);
    expect([body.texts, body.name, body.decision.reason]).toEqual([
      true,
      'SECRET name | **bold** <b>',
      'SECRET reason',
    ]);
    expect(body.rows.map(({ row_id }: Json) => row_id).sort()).toEqual(['row-0', 'row-1']);
    expect(text).not.toMatch(/eval_|key_|user_|charge/);
    await caller.call('PUT', `/api/v1/experiments/${id}/decision`, { model: 'none' });
    expect((await open(token)).body.decision).toMatchObject({ model: 'none', reason: null });
  });

  it('is listed by its subject, counts views, and ends when it is revoked', async () => {
    const issued = (await share({})).body;
    await open(issued.token);
    const { shares } = (await caller.get(`/api/v1/shares?subject=${id}&limit=100`)).body;
    expect(shares.every(({ subject }: Json) => subject === id)).toBe(true);
    expect(shares[0]).toMatchObject({
      share_id: issued.share_id,
      redact: ['prompt', 'outputs'],
      views: 1,
      status: 'live',
    });
    expect((await caller.delete(`/api/v1/shares/${issued.share_id}`)).status).toBe(204);
    expect((await open(issued.token)).status).toBe(404);
  });

  it.each([
    [{ redact: ['costs'] }, 'redact'],
    [{ texts: 'yes' }, 'texts'],
    [{ expires_in_days: 0 }, 'expires_in_days'],
    [{ subject: 'exp_x' }, 'subject'],
  ])('is refused for %j', async (body, param) => {
    const refused = (await share(body)).body.error;
    expect([refused.code, refused.param]).toEqual(['invalid_request', param]);
  });

  it('takes a key that may read experiments and evals', async () => {
    for (const [scopes, missing] of [
      [['shares', 'evals:read'], 'experiments:read'],
      [['shares', 'experiments:read'], 'evals:read'],
    ] as const) {
      const key = await anotherKey(caller, { scopes: [...scopes] });
      const { body } = await key.post('/api/v1/shares', { subject: id });
      expect([body.error.code, body.error.details.required_scope]).toEqual(['insufficient_scope', missing]);
    }
  });

  it('takes texts of an experiment only', async () => {
    const { eval_id: subject } = (await caller.post('/api/v1/compare', { prompt: 'x', models: ['sim-swift'] })).body;
    expect((await share({ subject, texts: true })).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'texts',
    });
    expect((await share({ subject })).status).toBe(201);
  });

  it('keeps its figures where data set and row are gone, and shows what is left of the texts', async () => {
    const own = await createCaller();
    const there = await experimentOf(own);
    await endedExperiment(own, there);
    const { token } = (await own.post('/api/v1/shares', { subject: there, texts: true })).body;
    const before = (await open(token)).body;
    expect(before.rows.map(({ row_id: rowId }: Json) => rowId).sort()).toEqual(['row-0', 'row-1']);
    const { rows } = (await own.get(`/api/v1/experiments/${there}/rows?state=differing`)).body;
    const { dataset_id: dataset } = (await own.get(`/api/v1/experiments/${there}`)).body;
    expect((await own.delete(`/api/v1/evals/${rows[0].eval_id}`)).status).toBe(204);
    expect((await own.delete(`/api/v1/datasets/${dataset}`)).status).toBe(204);
    const { status, body, text } = await open(token);
    expect([status, body.summary.models]).toEqual([200, before.summary.models]);
    expect(text).not.toContain('SECRET input');
    expect((await reportOf(own, there)).status).toBe(200);
  });

  it('waits for the end, belongs to the user, and ends with the erasure', async () => {
    const own = await createCaller();
    const there = await experimentOf(own, { prompt: '{input} [[sim:slow=20000]]' });
    expect((await own.post('/api/v1/shares', { subject: there })).body.error.code).toBe('conflict');
    expect((await share({ subject: there })).status).toBe(404);
    await own.patch(`/api/v1/experiments/${there}`, { state: CANCELED_EXPERIMENT });
    const { token } = (await own.post('/api/v1/shares', { subject: there })).body;
    expect((await open(token)).status).toBe(200);
    await own.delete(`/api/v1/experiments/${there}`);
    expect((await open(token)).status).toBe(404);
    expect((await own.post('/api/v1/shares', { subject: there })).body.error.code).toBe('conflict');
  });
});
