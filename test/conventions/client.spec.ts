import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAmountName } from '../../src/clients/client/amounts';
import { ModelComparison } from '../../src/clients/client/client';
import type { Json } from '../support/api';
import { temporaryFolder } from '../support/temporary-folder';

const ROOT = join(__dirname, '../..');
const document: Json = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
const BODY = { prompt: 'Hello', models: ['sim-swift'] };

type Calls = Record<string, Record<string, (mcs: ModelComparison) => Promise<unknown>>>;

/** Every operation, with the calls that make it. */
const CALLS: Calls = {
  compare_run: {
    compare: (mcs) => mcs.compare(BODY, { details: true }),
    stream: (mcs) => mcs.stream(BODY, { details: true, statistics: true }).eval(),
    'runs.start': (mcs) => mcs.runs.start(BODY, { checks: true, wait: 5 }),
  },
  compare_estimate: { estimate: (mcs) => mcs.estimate(BODY) },
  models_list: { models: (mcs) => mcs.models({ details: true }) },
  key_get: { key: (mcs) => mcs.key() },
  evals_list: {
    'evals.list': (mcs) =>
      mcs.evals
        .list({
          experiment: 'exp_1',
          limit: 1,
          offset: 0,
          cursor: 'c',
          q: 'q',
          model: 'm',
          starred: true,
          details: true,
          preference: true,
          note: true,
        })
        .pages()
        .next(),
  },
  evals_get: { 'evals.get': (mcs) => mcs.evals.get('a/b', { details: true }) },
  evals_drift: { 'evals.drift': (mcs) => mcs.evals.drift('a/b', { against: 'eval_1' }) },
  evals_projection: { 'evals.projection': (mcs) => mcs.evals.projection('a/b', { calls_per_month: 5 }) },
  evals_agreement: { 'evals.agreement': (mcs) => mcs.evals.agreement('a/b') },
  checks_decide: { check: (mcs) => mcs.check({ checks: [{ type: 'finished' }], output: 'x' }) },
  datasets_create: {
    'datasets.create': (mcs) =>
      mcs.datasets.create('input\nx', {
        name: 'n',
        input: 'i',
        expected: 'e',
        group: 'g',
        id: 'd',
        skip: 's',
        format: 'csv',
      }),
  },
  datasets_list: { 'datasets.list': (mcs) => mcs.datasets.list({ limit: 1, cursor: 'c' }).pages().next() },
  datasets_get: { 'datasets.get': (mcs) => mcs.datasets.get('a/b') },
  datasets_rows: { 'datasets.rows': (mcs) => mcs.datasets.rows('a/b', { limit: 1, cursor: 'c' }).pages().next() },
  datasets_delete: { 'datasets.delete': (mcs) => mcs.datasets.delete('a/b') },
  experiments_create: {
    'experiments.create': (mcs) => mcs.experiments.create({ ...BODY, dataset: 'ds_1', max_cost_usd: 1 }),
    'experiments.judge': (mcs) =>
      mcs.experiments.judge('exp_1', { kind: 'rubric', models: ['m'], criterion: 'c', maxCostUsd: 1 }),
  },
  experiments_estimate: { 'experiments.estimate': (mcs) => mcs.experiments.estimate({ ...BODY, dataset: 'ds_1' }) },
  experiments_list: { 'experiments.list': (mcs) => mcs.experiments.list({ limit: 1, cursor: 'c' }).pages().next() },
  experiments_get: {
    'experiments.get': (mcs) => mcs.experiments.get('a/b'),
    'experiments.wait': (mcs) => mcs.experiments.wait('a/b'),
  },
  experiments_change: {
    'experiments.change': (mcs) => mcs.experiments.change('a/b', { max_cost_usd: 1 }),
    'experiments.pause': (mcs) => mcs.experiments.pause('a/b'),
    'experiments.resume': (mcs) => mcs.experiments.resume('a/b'),
    'experiments.cancel': (mcs) => mcs.experiments.cancel('a/b'),
    'experiments.retry': (mcs) => mcs.experiments.retry('a/b'),
  },
  experiments_summary: {
    'experiments.summary': (mcs) => mcs.experiments.summary('a/b', { tolerance: 0.1 }),
  },
  experiments_report: {
    'experiments.report': (mcs) => mcs.experiments.report('a/b', { texts: false, rows: 1, tolerance: 0.1 }),
  },
  experiments_decide: { 'experiments.decide': (mcs) => mcs.experiments.decide('a/b', { model: 'm' }) },
  experiments_undecide: { 'experiments.undecide': (mcs) => mcs.experiments.undecide('a/b') },
  experiments_comparison: {
    'experiments.comparison': (mcs) =>
      mcs.experiments.comparison('a/b', { against: 'exp_1', model: 'm', against_model: 'm', tolerance: 0.1 }),
  },
  experiments_rows: {
    'experiments.rows': (mcs) => mcs.experiments.rows('a/b', { state: 'done', limit: 1, cursor: 1 }).pages().next(),
    'experiments.rowsFile': (mcs) =>
      mcs.experiments.rowsFile('a/b', 'csv', { state: 'done', limit: 1, cursor: 1 }).next(),
  },
  experiments_ballot: { 'experiments.ballot': (mcs) => mcs.experiments.ballot('a/b', { skip: 1 }) },
  experiments_vote: { 'experiments.vote': (mcs) => mcs.experiments.vote('a/b', { ballot: 'b', winner: '1' }) },
  experiments_erase: { 'experiments.erase': (mcs) => mcs.experiments.erase('a/b') },
  shares_create: { 'shares.create': (mcs) => mcs.shares.create({ subject: 'eval_1' }) },
  shares_list: { 'shares.list': (mcs) => mcs.shares.list({ limit: 1, cursor: 'c', subject: 'eval_1' }).pages().next() },
  shares_revoke: { 'shares.revoke': (mcs) => mcs.shares.revoke('a/b') },
  shares_ballot: { 'shares.ballot': (mcs) => mcs.shares.ballot('a/b', 'Ada', { skip: 1 }) },
  shares_vote: {
    'shares.vote': (mcs) => mcs.shares.vote('a/b', { ballot: 'b', winner: 'tie', voter: 'Ada' }),
  },
  shares_open: { 'shares.open': (mcs) => mcs.shares.open('a/b') },
  evals_rerun: {
    'evals.rerun': (mcs) => mcs.evals.rerun('a/b', { details: true }),
    'runs.rerun': (mcs) => mcs.runs.rerun('a/b', { details: true }),
  },
  runs_list: { 'runs.list': (mcs) => mcs.runs.list({ limit: 1, cursor: 'c' }).pages().next() },
  runs_get: {
    'runs.get': (mcs) => mcs.runs.get('a/b'),
    'runs.eval': (mcs) => mcs.runs.eval('a/b'),
    'runs.stream': (mcs) => mcs.runs.stream('a/b').eval(),
  },
  runs_cancel: { 'runs.cancel': (mcs) => mcs.runs.cancel('a/b') },
  evals_prefer: { 'evals.prefer': (mcs) => mcs.evals.prefer('a/b', { preferred: 'tie' }) },
  evals_unprefer: { 'evals.unprefer': (mcs) => mcs.evals.unprefer('a/b') },
  evals_annotate: { 'evals.annotate': (mcs) => mcs.evals.annotate('a/b', { starred: true }) },
  evals_preferences: { preferences: (mcs) => mcs.preferences({ models: ['a', 'b'], since: '2026-11-01T00:00:00Z' }) },
  evals_erase: { 'evals.erase': (mcs) => mcs.evals.erase('a/b') },
  usage_get: { 'usage.get': (mcs) => mcs.usage.get({ month: '2026-11' }) },
  usage_statement: {
    'usage.statement': (mcs) => mcs.usage.statement({ month: '2026-11' }),
    'usage.statementCsv': (mcs) => mcs.usage.statementCsv({ month: '2026-11' }),
  },
  usage_breakdown: { 'usage.breakdown': (mcs) => mcs.usage.breakdown({ month: '2026-11', by: 'day' }) },
  billing_addPaymentMethod: { 'billing.addPaymentMethod': (mcs) => mcs.billing.addPaymentMethod() },
  admin_createUser: { 'admin.createUser': (mcs) => mcs.admin.createUser({ email: 'a@example.com' }) },
  admin_listUsers: { 'admin.listUsers': (mcs) => mcs.admin.listUsers({ email: 'a@b.example', limit: 1, offset: 0 }) },
  admin_getUser: { 'admin.getUser': (mcs) => mcs.admin.getUser('a/b') },
  admin_updateUser: { 'admin.updateUser': (mcs) => mcs.admin.updateUser('a/b', {}) },
  admin_issueKey: { 'admin.issueKey': (mcs) => mcs.admin.issueKey('a/b', { name: 'ci' }) },
  admin_listKeys: { 'admin.listKeys': (mcs) => mcs.admin.listKeys('a/b') },
  admin_getUsage: { 'admin.getUsage': (mcs) => mcs.admin.getUsage('a/b', { month: '2026-01' }) },
  admin_adjust: { 'admin.adjust': (mcs) => mcs.admin.adjust('a/b', { amount_usd: 1, reason: 'r' }) },
  admin_getKey: { 'admin.getKey': (mcs) => mcs.admin.getKey('a/b') },
  admin_updateKey: { 'admin.updateKey': (mcs) => mcs.admin.updateKey('a/b', {}) },
  admin_revokeKey: { 'admin.revokeKey': (mcs) => mcs.admin.revokeKey('a/b') },
  admin_rotateKey: { 'admin.rotateKey': (mcs) => mcs.admin.rotateKey('a/b', { overlap_seconds: 1 }) },
  admin_listAuditEntries: {
    'admin.listAuditEntries': (mcs) =>
      mcs.admin.listAuditEntries({ limit: 1, target: 't', cursor: 'c' }).pages().next(),
  },
  admin_listMeterEvents: {
    'admin.listMeterEvents': (mcs) =>
      mcs.admin.listMeterEvents({ state: 'sent', limit: 1, cursor: 'c' }).pages().next(),
  },
  admin_resendMeterEvent: {
    'admin.resendMeterEvent': (mcs) => mcs.admin.resendMeterEvent('a/b', { not_received: true }),
  },
};

interface Operation {
  id: string;
  method: string;
  path: string;
  query: string[];
  hasBody: boolean;
  media: string[];
}

/** The target of a `$ref`. */
const resolved = (part: Json): Json =>
  part.$ref === undefined
    ? part
    : (part.$ref as string)
        .split('/')
        .slice(1)
        .reduce((found: Json, name) => found[name], document);

const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]): Operation => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    query: (operation.parameters ?? [])
      .map(resolved)
      .filter((parameter: Json) => parameter.in === 'query')
      .map(({ name }: Json) => name as string),
    hasBody: operation.requestBody !== undefined,
    media: Object.entries<Json>(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, response]) => Object.keys(resolved(response).content ?? {})),
  })),
);

/** The request of a call. */
async function requestOf(call: (mcs: ModelComparison) => Promise<unknown>) {
  const requests: { url: URL; init: RequestInit }[] = [];
  const mcs = new ModelComparison({
    baseUrl: 'http://service.test',
    apiKey: 'mcs_key',
    maxRetries: 0,
    fetch: async (url, init) => {
      requests.push({ url: new URL(url), init: init ?? {} });
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    },
  });
  await call(mcs).catch(() => undefined);
  const [request] = requests;
  if (request === undefined) throw new Error('Nothing was sent.');
  return request;
}

describe('The client', () => {
  it('has the types of the API document; `npm run openapi:generate` writes them', () => {
    const file = join(temporaryFolder(), 'api.gen.ts');
    execFileSync(process.execPath, [join(ROOT, 'src/clients/client/package/generate-types.mjs'), file], { cwd: ROOT });
    expect(readFileSync(join(ROOT, 'src/clients/client/api.gen.ts'), 'utf8')).toBe(readFileSync(file, 'utf8'));
  });

  it('has a method for every operation, and no other', () => {
    expect(Object.keys(CALLS).sort()).toEqual(operations.map(({ id }) => id).sort());
    const mcs = new ModelComparison({ baseUrl: 'http://service.test', apiKey: null });
    const methodsOf = (target: object, prefix: string) => {
      const names = [
        ...Object.getOwnPropertyNames(target),
        ...Object.getOwnPropertyNames(Object.getPrototypeOf(target)),
      ];
      return names
        .filter(
          (name) =>
            name !== 'constructor' &&
            !(name in Object.prototype) &&
            typeof (target as Record<string, unknown>)[name] === 'function',
        )
        .map((name) => prefix + name);
    };
    const methods = [
      ...methodsOf(mcs, ''),
      ...(['evals', 'runs', 'datasets', 'experiments', 'shares', 'usage', 'billing', 'admin'] as const).flatMap(
        (part) => methodsOf(mcs[part], `${part}.`),
      ),
    ];
    // Private in TypeScript only.
    const internal = ['admin.call'];
    expect(methods.filter((name) => !internal.includes(name)).sort()).toEqual(
      Object.values(CALLS)
        .flatMap((calls) => Object.keys(calls))
        .sort(),
    );
  });

  it.each(operations)('sends $id as the document says', async ({ id, method, path, query, hasBody, media }) => {
    for (const call of Object.values(CALLS[id] ?? {})) {
      const { url, init } = await requestOf(call);
      const accepted = new Headers(init.headers).get('accept') ?? '';
      expect([init.method, url.pathname]).toEqual([method, path.replace(/\{\w+\}/, 'a%2Fb')]);
      expect([...url.searchParams.keys()].sort()).toEqual(query.sort());
      expect(init.body !== undefined).toBe(hasBody);
      if (media.length > 0) expect(media).toContain(accepted);
    }
  });

  it('takes every amount of money for one, and no other number', () => {
    const amounts = new Set<string>();
    const others = new Set<string>();
    const visit = (schema: Json, name: string): void => {
      if ([schema.type].flat().includes('number')) (isAmountName(name) ? amounts : others).add(name);
      for (const [member, inner] of Object.entries<Json>(schema.properties ?? {})) visit(inner, member);
      for (const inner of [
        schema.items,
        schema.additionalProperties,
        ...['allOf', 'anyOf', 'oneOf'].flatMap((kind) => schema[kind] ?? []),
      ])
        if (typeof inner === 'object') visit(inner, name);
    };
    for (const [name, schema] of Object.entries<Json>(document.components.schemas)) visit(schema, name);
    // Some of these are amounts within an amount, such as the mean of `cost_usd`.
    expect([...others].sort()).toEqual([
      'accuracy',
      'after',
      'agree',
      'all_pass_rate',
      'any_pass_rate',
      'applied',
      'before',
      'blind_share',
      'by_price',
      'by_tokens',
      'cache_write',
      'cached_input',
      'change',
      'ci',
      'coverage',
      'detectable_difference',
      'difference',
      'input_tokens',
      'kappa',
      'margin',
      'max',
      'mean',
      'mean_similarity',
      'mean_without_cache',
      'min',
      'modal_share',
      'output_tokens',
      'p50',
      'p50_ci',
      'p90',
      'p90_ci',
      'p_adjusted',
      'p_value',
      'projected_cost_ci',
      'rate',
      'ratio',
      'reasoning',
      'score',
      'self_agreement',
      'share',
      'similarity',
      'stddev',
      'temperature',
      'tokens_per_second',
      'tolerance',
      'total',
      'usd',
      'value',
      'weight',
      'with_judges',
    ]);
    expect([...amounts].sort()).toEqual([
      'amount_usd',
      'cache_write_per_1m',
      'cached_input_per_1m',
      'charge_usd',
      'cost_per_call_usd',
      'cost_per_call_without_cache_usd',
      'cost_usd',
      'input_per_1m',
      'least',
      'likely_cost_usd',
      'limit_usd',
      'max_charge_usd',
      'max_cost_usd',
      'max_usd',
      'monthly_charge_usd',
      'monthly_cost_usd',
      'monthly_spend_limit_usd',
      'monthly_usd',
      'most',
      'most_charge_usd',
      'most_cost_usd',
      'output_per_1m',
      'projected_cost_usd',
      'remaining_usd',
      'total_charge_usd',
      'total_cost_usd',
    ]);
  });
});
