import type { Client } from 'pg';
import { Api, operator } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { nodesOf, plansFor, type Plan } from '../../support/query-plans';
import { QueryRecorder } from '../../support/query-recorder';
import { startService, type ServiceProcess } from '../../support/service';
import { STRIPE_SETTINGS } from '../../support/stripe-server';

/** Tables that grow with use: none of them may ever be read from end to end for one request. */
const GROWING = [
  'evals',
  'results',
  'charges',
  'api_keys',
  'users',
  'reservations',
  'idempotency_keys',
  'month_totals',
  'breakdown_totals',
  'audit_entries',
  'erased_evals',
  'stripe_events',
  'shares',
];

const USERS = 20_000;
/** The number of users with a past. */
const ACTIVE_USERS = 40;
const EVALS_EACH = 250;
const MODELS = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];
const ORDER = { prompt: 'Hello', models: MODELS };

/** Many other users, each with a past, so that an index is worth its while. */
async function seed(client: Client): Promise<void> {
  await client.query('set session_replication_role = replica').catch(() => undefined);
  const month = `to_char(now() at time zone 'utc', 'YYYY-MM')`;
  const users = `(select u, 'user_' || lpad(u::text, 26, '0') as user_id from generate_series(1, ${USERS}) u) as users`;
  const evals = `(select 'user_' || lpad(u::text, 26, '0') as user_id, '01' || lpad((n * 1000 + u)::text, 24, '0') as tail from generate_series(1, ${ACTIVE_USERS}) u, generate_series(1, ${EVALS_EACH}) n) as evals`;
  const models = `array['${MODELS.join("', '")}']`;
  const statements = [
    `insert into users (id, email, has_payment_method, created_at) select user_id, u || '@seed.example', true, now() from ${users}`,
    `insert into api_keys (id, user_id, name, prefix, hash, created_at) select 'key_' || u || '_' || k, user_id, 'k', 'mcs_x', md5(u || '.' || k), now() from ${users}, generate_series(1, 2) k`,
    `insert into evals (id, user_id, prompt, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
      select 'eval_' || tail, user_id, 'Hello', ${models}, 0.7, 500, 0.001, 0.0014, false, 'sim-swift', 'sim-swift', now(), 100 from ${evals}`,
    `insert into results (eval_id, position, model, provider, output, latency_ms, cost, input_tokens, output_tokens, warnings, details)
      select 'eval_' || tail, p, 'sim-swift', 'simulator', 'Hello', 10, 0.0005, 4, 40, '[]', '{}' from ${evals}, generate_series(0, 1) p`,
    `insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, occurred_at, created_at)
      select 'chg_' || tail, user_id, 'eval_' || tail, 'key', ${month}, ${models}, 4, 40, 0.001, 0.4, 0.0014, false, now(), now() from ${evals}`,
    `insert into reservations (id, user_id, key_id, month, is_free, max_charge, expires_at)
      select 'rsv_' || tail, user_id, 'key', ${month}, false, 0.01, now() + interval '1 day' from ${evals}`,
    `insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at) select user_id, tail, 'f', 'eval_' || tail, now() from ${evals}`,
    `insert into month_totals (user_id, month) select user_id, to_char(date '2024-01-01' + m * interval '1 month', 'YYYY-MM') from ${users}, generate_series(0, 2) m`,
    `insert into breakdown_totals (user_id, month, dimension, item) select user_id, ${month}, d, i::text from ${users}, unnest(array['model', 'day', 'key']) d, generate_series(1, 30) i where u <= ${ACTIVE_USERS}`,
    `insert into erased_evals (eval_id, user_id, erased_at, result_summaries) select 'eval_x' || tail, user_id, now(), '[]' from ${evals}`,
    `insert into audit_entries (id, at, action, target_type, target_id, actor, changes) select 'aud_' || tail, now(), 'user.updated', 'user', user_id, 'operator', '{}' from ${evals}`,
    `insert into stripe_events (id, received_at) select 'evt_' || tail, now() from ${evals}`,
    `insert into shares (id, user_id, eval_id, token_hash, redact, seed, created_at, expires_at) select 'shr_' || tail, user_id, 'eval_' || tail, md5(tail), '{}', '', now(), now() + interval '30 days' from ${evals}`,
    // As many evals of experiments, 200 each.
    `insert into evals (id, user_id, prompt, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms, experiment_id)
      select 'eval_x' || substr(tail, 2), user_id, 'Hello', ${models}, 0.7, 500, 0.001, 0.0014, false, 'sim-swift', 'sim-swift', now(), 100, 'exp_' || right(user_id, 26) from ${evals}`,
    'reset session_replication_role',
    'analyze',
  ];
  for (const statement of statements) await client.query(statement);
}

describe('The queries of compares and reads', () => {
  let url: string;
  let recorder: QueryRecorder;
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    url = await ownDatabase('plans');
    recorder = await QueryRecorder.inFrontOf(url);
    service = await startService({
      DATABASE_URL: recorder.url,
      MIGRATE_ON_START: 'true',
      RESERVATION_TTL_SECONDS: '3600',
      SIMULATOR: 'on',
    });
    await onDatabase(url, seed);
    caller = await createCaller({ at: service.url, monthlySpendLimitUsd: 1000 });
    for (let i = 0; i < 5; i += 1) await caller.compare(ORDER);
  });
  afterAll(async () => {
    await service.stop();
    await recorder.close();
  });

  /** Every statement that has a plan, with the nodes of its plans. */
  async function plansOf(work: () => Promise<{ status: number }>): Promise<{ sql: string; nodes: Plan[] }[]> {
    const sent = await recorder.during(async () => expect([200, 201, 204]).toContain((await work()).status));
    const planned = sent.filter(
      ({ sql }) => /^\s*(with|select|insert|update|delete)\b/i.test(sql) && !/^select \$1|^select 1/.test(sql),
    );
    return onDatabase(url, async (client) => {
      const plans: { sql: string; nodes: Plan[] }[] = [];
      for (const statement of planned)
        plans.push({
          sql: statement.sql,
          nodes: (await plansFor(client, statement)).flatMap((plan) => [...nodesOf(plan)]),
        });
      return plans;
    });
  }

  const firstEval = async () => (await caller.get('/api/v1/evals')).body.evals[0].eval_id as string;

  const newShare = async () => (await caller.post('/api/v1/shares', { subject: await firstEval() })).body;

  const REQUESTS: Record<string, () => Promise<{ status: number }>> = {
    compare: () => caller.compare(ORDER),
    'compare with an Idempotency-Key': () => caller.compare(ORDER, { headers: { 'idempotency-key': 'planned' } }),
    'compare answered from its Idempotency-Key': () =>
      caller.compare(ORDER, { headers: { 'idempotency-key': 'planned' } }),
    estimate: () => caller.post('/api/v1/compare/estimate', ORDER),
    'first page of evals': () => caller.get('/api/v1/evals'),
    'page of evals by offset': () => caller.get('/api/v1/evals?offset=3'),
    'page of evals by cursor': async () => caller.get(`/api/v1/evals?cursor=${await firstEval()}`),
    'search of evals': () => caller.get('/api/v1/evals?q=nothing&model=sim-swift&include=details'),
    'search of evals by cursor': async () => caller.get(`/api/v1/evals?q=hello&cursor=${await firstEval()}`),
    'key in use': () => caller.get('/api/v1/key'),
    'eval by id': async () => caller.get(`/api/v1/evals/${await firstEval()}`),
    'drift of an eval': async () =>
      caller.get(
        `/api/v1/evals/${await firstEval()}/drift?against=${(await caller.get('/api/v1/evals')).body.evals[1].eval_id}`,
      ),
    'projection of an eval': async () => caller.get(`/api/v1/evals/${await firstEval()}/projection`),
    'new share': async () => caller.post('/api/v1/shares', { subject: await firstEval() }),
    'page of shares': () => caller.get('/api/v1/shares'),
    'page of shares of an eval': async () =>
      caller.get(`/api/v1/shares?subject=${await firstEval()}&cursor=shr_7${'z'.repeat(25)}`),
    'view of a share': async () => new Api(undefined, service.url).get(`/api/v1/shared/${(await newShare()).token}`),
    'revoking a share': async () => caller.delete(`/api/v1/shares/${(await newShare()).share_id}`),
    usage: () => caller.get('/api/v1/usage'),
    breakdown: () => caller.get('/api/v1/usage/breakdown?by=day'),
    statement: () => caller.get('/api/v1/usage/statement'),
    'erasing an eval': async () => caller.delete(`/api/v1/evals/${await firstEval()}`),
    'page of the audit log': () => operator(service.url).get('/api/v1/admin/audit'),
    'page of the audit log of one target': () =>
      operator(service.url).get(`/api/v1/admin/audit?target=${caller.userId}&cursor=aud_7${'z'.repeat(25)}`),
    'change of a user': () => operator(service.url).patch(`/api/v1/admin/users/${caller.userId}`, { free_quota: 7 }),
    'change of a key': () => operator(service.url).patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes: null }),
  };

  it.each(Object.entries(REQUESTS))('never scan a growing table from end to end: %s', async (_, work) => {
    const plans = await plansOf(work);
    expect(plans.length).toBeGreaterThan(0);
    const scans = plans.flatMap(({ sql, nodes }) =>
      nodes
        .filter((node) => node['Node Type'] === 'Seq Scan' && GROWING.includes(node['Relation Name'] ?? ''))
        .map((node) => `${node['Relation Name']}: ${sql.trim().slice(0, 200)}`),
    );
    expect(scans).toEqual([]);
  });

  const inOrder = Object.entries(REQUESTS).filter(([name]) => /page of|statement/.test(name));
  it.each(inOrder)('read rows in the order of an index, without sorting them: %s', async (_, work) => {
    const plans = await plansOf(work);
    const sorts = plans.flatMap(({ sql, nodes }) =>
      nodes.filter((node) => /Sort/.test(node['Node Type'])).map(() => sql.trim().slice(0, 200)),
    );
    expect(sorts).toEqual([]);
  });

  it.each([
    ['page', ''],
    ['offset', '?offset=3'],
    ['cursor', `?cursor=eval_7${'z'.repeat(25)}`],
    ['search', '?q=hello'],
  ])('never pass the evals of experiments on the way to others: %s', async (_, query) => {
    const plans = await plansOf(() => caller.get(`/api/v1/evals${query}`));
    const indexes = plans.flatMap(({ nodes }) =>
      nodes.filter((node) => node['Relation Name'] === 'evals').map((node) => node['Index Name']),
    );
    expect([...new Set(indexes)]).toEqual(['evals_outside_experiments_index']);
  });

  it('read the evals of one experiment from its index', async () => {
    const dataset = (await caller.post('/api/v1/datasets', { rows: [{ input: 'a' }] })).body.dataset_id as string;
    const { body } = await caller.post('/api/v1/experiments', {
      dataset,
      prompt: '{input}',
      models: ['sim-swift'],
      max_cost_usd: 1,
    });
    // Its own statements are not looked at.
    await caller.get(`/api/v1/experiments/${body.experiment_id}`, { headers: { prefer: 'wait=20' } });
    for (const query of ['', '&offset=1', '&q=hello']) {
      const plans = await plansOf(() => caller.get(`/api/v1/evals?experiment=${body.experiment_id}${query}`));
      const indexes = plans.flatMap(({ nodes }) =>
        nodes.filter((node) => node['Relation Name'] === 'evals').map((node) => node['Index Name']),
      );
      expect([...new Set(indexes)]).toEqual(['evals_of_experiment_index']);
    }
  });

  it('read the newest evals of one user from the index on user and id, however many there are', async () => {
    const plans = await plansOf(() => caller.get('/api/v1/evals'));
    const indexes = plans.flatMap(({ nodes }) =>
      nodes.filter((node) => node['Relation Name'] === 'evals').map((node) => node['Index Name']),
    );
    expect([...new Set(indexes)]).toEqual(['evals_outside_experiments_index']);
  });

  it('find expired evals and rows by an index, without reading the rest or sorting them', async () => {
    const plans = await plansOf(async () => {
      // Its first look is over when it has stopped; nothing is as old as that.
      const cleaning = await startService({
        DATABASE_URL: recorder.url,
        SIMULATOR: 'on',
        RETENTION_DAYS: '10000',
        ...STRIPE_SETTINGS,
        STRIPE_STAND_IN: 'http://127.0.0.1:9',
      });
      await cleaning.stop();
      return { status: 200 };
    });
    const erasing = plans.filter(({ sql }) => sql.includes('erased_evals'));
    expect(erasing).toHaveLength(1);
    for (const { nodes } of erasing)
      expect(
        nodes.filter((node) => node['Node Type'] === 'Seq Scan' && GROWING.includes(node['Relation Name'] ?? '')),
      ).toEqual([]);
    expect(
      erasing[0]?.nodes.filter((node) => /Index/.test(node['Node Type'])).map((node) => node['Index Name']),
    ).toContain('evals_pkey');
    for (const [table, index] of [
      ['idempotency_keys', 'idempotency_keys_created_at_index'],
      ['stripe_events', 'stripe_events_received_at_index'],
      ['shares', 'shares_by_end_index'],
    ] as const) {
      const deletes = plans.filter(({ sql }) => new RegExp(`delete from ${table}`).test(sql));
      expect(deletes).toHaveLength(1);
      const nodes = deletes[0]?.nodes ?? [];
      expect(nodes.filter((node) => ['Seq Scan', 'Sort'].includes(node['Node Type']))).toEqual([]);
      expect(nodes.map((node) => node['Index Name'])).toContain(index);
    }
  });
});
