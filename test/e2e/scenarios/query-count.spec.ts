import { createCaller, type Caller } from '../../support/factories';
import { QueryRecorder, type RecordedQuery } from '../../support/query-recorder';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

/** How often one request may go to the database; the statements that open and close a transaction are counted apart. */
interface Budget {
  /** Beyond the look-up of the key. */
  statements: number;
  transactions: number;
  /** Look-ups of the key, when it has not been seen for a while. */
  authentication: number;
}

/**
 * A line is a budget: lower it when a request needs less, and think twice before raising it. `SHOW_STATEMENTS=1` prints
 * what is really sent.
 */
const BUDGETS: Record<string, Budget> = {
  compare: { statements: 2, transactions: 0, authentication: 1 },
  'compare of a user without free evals and limits': { statements: 1, transactions: 0, authentication: 1 },
  'compare of ten samples, which is never free': { statements: 1, transactions: 0, authentication: 1 },
  'compare of ten samples under a spend limit': { statements: 2, transactions: 0, authentication: 1 },
  'compare with checks': { statements: 2, transactions: 0, authentication: 1 },
  'compare of ten samples with checks': { statements: 1, transactions: 0, authentication: 1 },
  'compare with checks, of a user without free evals and limits': { statements: 1, transactions: 0, authentication: 1 },
  'compare with an Idempotency-Key': { statements: 6, transactions: 1, authentication: 1 },
  'compare answered from its Idempotency-Key': { statements: 2, transactions: 0, authentication: 1 },
  estimate: { statements: 1, transactions: 0, authentication: 1 },
  'list of evals': { statements: 1, transactions: 0, authentication: 1 },
  'eval by id': { statements: 1, transactions: 0, authentication: 1 },
  'eval with statistics': { statements: 1, transactions: 0, authentication: 1 },
  'eval with checks': { statements: 1, transactions: 0, authentication: 1 },
  agreement: { statements: 1, transactions: 0, authentication: 1 },
  drift: { statements: 2, transactions: 0, authentication: 1 },
  projection: { statements: 1, transactions: 0, authentication: 1 },
  'checks of a text': { statements: 0, transactions: 0, authentication: 1 },
  models: { statements: 0, transactions: 0, authentication: 1 },
  usage: { statements: 1, transactions: 0, authentication: 1 },
  breakdown: { statements: 1, transactions: 0, authentication: 1 },
  'statement of up to 1000 lines': { statements: 1, transactions: 0, authentication: 1 },
  // Last, because the others read it.
  'erasing an eval': { statements: 2, transactions: 1, authentication: 1 },
};

const ORDER = { prompt: 'Hello', models: ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'] };
const SAMPLED = { ...ORDER, options: { samples: 10 } };
const CHECKS = [{ type: 'finished' }, { type: 'regex', pattern: 'a' }, { type: 'json', schema: { type: 'object' } }];
const IDEMPOTENT = { headers: { 'idempotency-key': 'counted' } };

/** Another eval beside the eval that is read. */
const made = { earlier: '' };

const REQUESTS: Record<
  keyof typeof BUDGETS,
  (caller: Caller, evalId: string, paying: Caller, limited: Caller) => Promise<{ status: number }>
> = {
  compare: (caller) => caller.compare(ORDER),
  'compare of a user without free evals and limits': (_, __, paying) => paying.compare(ORDER),
  'compare of ten samples, which is never free': (caller) => caller.compare(SAMPLED),
  'compare of ten samples under a spend limit': (_, __, ___, limited) => limited.compare(SAMPLED),
  'compare with checks': (caller) => caller.compare({ ...ORDER, checks: CHECKS }),
  'compare of ten samples with checks': (caller) =>
    caller.post('/api/v1/compare?include=checks,statistics', { ...SAMPLED, checks: CHECKS }),
  'compare with checks, of a user without free evals and limits': (_, __, paying) =>
    paying.compare({ ...ORDER, checks: CHECKS }),
  'compare with an Idempotency-Key': (caller) => caller.compare(ORDER, IDEMPOTENT),
  'compare answered from its Idempotency-Key': (caller) => caller.compare(ORDER, IDEMPOTENT),
  estimate: (caller) => caller.post('/api/v1/compare/estimate', ORDER),
  'list of evals': (caller) => caller.get('/api/v1/evals'),
  'eval by id': (caller, evalId) => caller.get(`/api/v1/evals/${evalId}`),
  'eval with statistics': (caller, evalId) => caller.get(`/api/v1/evals/${evalId}?include=statistics`),
  'eval with checks': (caller, evalId) => caller.get(`/api/v1/evals/${evalId}?include=checks`),
  agreement: (caller, evalId) => caller.get(`/api/v1/evals/${evalId}/agreement`),
  drift: (caller, evalId) => caller.get(`/api/v1/evals/${evalId}/drift?against=${made.earlier}`),
  projection: (caller, evalId) => caller.get(`/api/v1/evals/${evalId}/projection?calls_per_month=1000`),
  'checks of a text': (caller) => caller.post('/api/v1/checks', { checks: CHECKS, output: '{}' }),
  models: (caller) => caller.get('/api/v1/models'),
  usage: (caller) => caller.get('/api/v1/usage'),
  breakdown: (caller) => caller.get('/api/v1/usage/breakdown'),
  'statement of up to 1000 lines': (caller) => caller.get('/api/v1/usage/statement'),
  'erasing an eval': (caller, evalId) => caller.delete(`/api/v1/evals/${evalId}`),
};

function countOf(sent: readonly RecordedQuery[]): Budget {
  const isControl = ({ sql }: RecordedQuery) => /^(begin|start transaction|commit|rollback)\b/i.test(sql.trim());
  const isAuthentication = ({ sql }: RecordedQuery) => /api_keys/.test(sql);
  return {
    statements: sent.filter((statement) => !isControl(statement) && !isAuthentication(statement)).length,
    transactions: sent.filter(({ sql }) => /^(begin|start transaction)\b/i.test(sql.trim())).length,
    authentication: sent.filter(isAuthentication).length,
  };
}

describe('The number of database queries', () => {
  let recorder: QueryRecorder;
  let service: ServiceProcess;
  let caller: Caller;
  let paying: Caller;
  let limited: Caller;
  let evalId: string;
  beforeAll(async () => {
    recorder = await QueryRecorder.inFrontOf(worker().databaseUrl);
    // One connection, so that none is opened and greeted in the midst; reservations that need no renewal meanwhile; no
    // worker that looks for runs.
    service = await startService({
      DATABASE_URL: recorder.url,
      DATABASE_POOL_MAX: '1',
      RESERVATION_TTL_SECONDS: '3600',
      MAX_CONCURRENT_RUNS: '0',
      SIMULATOR: 'on',
    });
    caller = await createCaller({ at: service.url });
    // Also notes the use of the key, which happens once a minute.
    paying = await createCaller({ at: service.url, freeQuota: 0 });
    await paying.compare(ORDER);
    limited = await createCaller({ at: service.url, monthlySpendLimitUsd: 100 });
    await limited.compare(ORDER);
    made.earlier = (await caller.compare(ORDER)).body.eval_id;
    evalId = (await caller.compare({ ...ORDER, checks: CHECKS })).body.eval_id;
  });
  afterAll(async () => {
    await service.stop();
    await recorder.close();
  });

  it.each([
    ['', []],
    ['?include=details', ['details']],
  ])(
    'is one for the results of GET /evals/:id%s, which reads details only when they are asked for',
    async (query, expected) => {
      const id = (await caller.compare(ORDER)).body.eval_id as string;
      const sent = await recorder.during(async () =>
        expect((await caller.get(`/api/v1/evals/${id}${query}`)).status).toBe(200),
      );
      const read = sent.filter(({ sql }) => /\bfrom results\b/.test(sql));
      expect(read).toHaveLength(1);
      expect(read.flatMap(({ sql }) => [...new Set(sql.match(/\bdetails\b/g))])).toEqual(expected);
      // Neither by name nor with everything else.
      expect(read.filter(({ sql }) => sql.includes('*'))).toEqual([]);
      // Small tables come in order by themselves.
      expect(read.filter(({ sql }) => !/\border by position\b/.test(sql))).toEqual([]);
    },
  );

  it.each(Object.entries(BUDGETS))('is within its budget for %s', async (name, budget) => {
    const sent = await recorder.during(async () => {
      expect([200, 204]).toContain((await REQUESTS[name]?.(caller, evalId, paying, limited))?.status);
    });
    const counted = countOf(sent);
    const message = `${name}: ${JSON.stringify(counted)}\n${sent.map(({ sql }) => `  ${sql.replaceAll(/\s+/g, ' ').trim().slice(0, 140)}`).join('\n')}\n`;
    if (process.env['SHOW_STATEMENTS'] === '1') process.stdout.write(message);
    const isWithin = (Object.keys(budget) as (keyof Budget)[]).every((kind) => counted[kind] <= budget[kind]);
    if (!isWithin) throw new Error(`More than ${JSON.stringify(budget)}.\n${message}`);
  });

  it('does not grow with checks and samples: the very statements of a plain compare', async () => {
    const statements = async (order: object) => {
      const sent = await recorder.during(() => paying.compare(order));
      return sent.map(({ sql }) => sql).filter((sql) => !/api_keys/.test(sql));
    };
    const plain = await statements(ORDER);
    expect(plain).toHaveLength(1);
    for (const order of [{ ...ORDER, checks: CHECKS }, SAMPLED, { ...SAMPLED, checks: CHECKS }])
      expect(await statements(order)).toEqual(plain);
  });
});
