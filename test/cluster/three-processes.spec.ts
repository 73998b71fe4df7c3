import { onDatabase } from '../support/database';
import { createCaller, type Caller } from '../support/factories';
import { chargedOf, exact, units } from '../support/ledger';
import { operator } from '../support/api';
import { admittedOf } from '../support/rate-limits';
import { leastWithin } from '../support/timing';
import { CLUSTER_PROGRAMS, expectLedgerIsRight, NO_RATE_LIMITS, startCluster, type Cluster } from './support/cluster';
import { show } from './support/load';
import { describeWith } from './support/programs';

/** Also of compares, so more than a key sends in these tests. */
const ESTIMATES_PER_MINUTE = 125;
const MAX_REVOKED_MS = 1100;

describeWith(CLUSTER_PROGRAMS, 'Three processes behind HAProxy, on one Postgres and one Redis', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({
      variables: { ...NO_RATE_LIMITS, RATE_LIMIT_COMPARE_PER_MINUTE: String(ESTIMATES_PER_MINUTE) },
    });
  });
  afterEach(() => expectLedgerIsRight(cluster.databaseUrl));

  /** The caller at each of the three, past HAProxy. */
  const everywhere = (caller: Caller): Caller[] => cluster.replicas.map(({ url }) => caller.at(url));

  it('give exactly 100 of 120 parallel compares for free', async () => {
    const caller = await createCaller({ at: cluster.url, freeQuota: 100, hasPaymentMethod: true });
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => caller.compare({ prompt: '[[sim:slow=500]]', models: ['sim-swift'] })),
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    const { rows } = await onDatabase(cluster.databaseUrl, (client) =>
      client.query(
        'select count(*)::int as evals, count(*) filter (where is_free and charge = 0)::int as free from charges where user_id = $1',
        [caller.userId],
      ),
    );
    expect(rows).toEqual([{ evals: 120, free: 100 }]);
    expect(await caller.usage()).toMatchObject({ eval_count: 120, free_evals_remaining: 0 });
    expect(await servedBy()).toBe(3);
  });

  /** How many of the processes HAProxy has sent compares to. */
  async function servedBy(): Promise<number> {
    const scrapes = await Promise.all(cluster.replicas.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    return scrapes.filter((text) => /^\w*compares_total\{outcome="stored"\} [1-9]/m.test(text)).length;
  }

  it('never charge more than the spend limit', async () => {
    // Nearly all of its worst charge of about 0.0427 is used: 2,000 tokens at $15 a million and little input, × 1.4.
    const order = {
      prompt: '[[sim:length=2000]][[sim:slow=500]]',
      models: ['sim-sage'],
      options: { max_tokens: 2000 },
    };
    const caller = await createCaller({ at: cluster.url, freeQuota: 0, monthlySpendLimitUsd: 0.45 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => caller.compare(order)));
    const codes = answers.map(({ status, body }) => (status === 200 ? 'stored' : body.error.code));
    expect(codes.filter((code) => code === 'stored')).toHaveLength(10);
    expect(new Set(codes)).toEqual(new Set(['stored', 'spend_limit_reached']));
    expect(units(await chargedOf(caller))).toBeLessThanOrEqual(units('0.45'));
    expect(units(await chargedOf(caller))).toBe(
      units(exact((await caller.get('/api/v1/usage/statement')).text).total.charge_usd),
    );
  });

  it('run one eval for an Idempotency-Key that reaches all three at once', async () => {
    const caller = await createCaller({ at: cluster.url });
    const send = (one: Caller) =>
      one.compare(
        { prompt: '[[sim:slow=5000]]', models: ['sim-swift'] },
        { headers: { 'idempotency-key': 'all-three' } },
      );
    const answers = await Promise.all([...everywhere(caller), ...everywhere(caller)].map(send));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error?.code === 'idempotency_key_in_use')).toHaveLength(5);
    const evalIds = await Promise.all(everywhere(caller).map(async (one) => (await send(one)).body.eval_id));
    expect(new Set(evalIds)).toEqual(new Set([answers.find(({ status }) => status === 200)?.body.eval_id]));
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it('refuse a key everywhere at most 1.1 s after it was revoked at one of them', async () => {
    const refusedAfter = async (one: Caller, begin: number) => {
      let status = 200;
      while (status === 200) ({ status } = await one.get('/api/v1/models'));
      const tookMs = performance.now() - begin;
      expect(status).toBe(401);
      return tookMs;
    };
    const longestMs = async () => {
      const caller = await createCaller({ at: cluster.url });
      // From here on all three know the key.
      for (const one of everywhere(caller)) expect((await one.get('/api/v1/models')).status).toBe(200);
      await operator(cluster.replicas[0]?.url).delete(`/api/v1/admin/keys/${caller.keyId}`);
      const begin = performance.now();
      const times = await Promise.all(everywhere(caller).map((one) => refusedAfter(one, begin)));
      show(`A revoked key is refused after ${times.map((ms) => `${Math.round(ms)} ms`).join(', ')}.`);
      return Math.max(...times);
    };
    expect(await leastWithin(MAX_REVOKED_MS, longestMs)).toBeLessThanOrEqual(MAX_REVOKED_MS);
  });

  it('share their rate limits', async () => {
    const estimate = (one: Caller) => one.post('/api/v1/compare/estimate', { prompt: 'hello', models: ['sim-swift'] });
    const answered = async () => {
      const caller = await createCaller({ at: cluster.url });
      const answers: { status: number }[] = [];
      for (let i = 0; i < ESTIMATES_PER_MINUTE; i += 1)
        for (const one of everywhere(caller)) answers.push(await estimate(one));
      return admittedOf(answers);
    };
    // A Redis that is late by 250 ms counts nothing for a moment, and more pass.
    expect(await leastWithin(ESTIMATES_PER_MINUTE, answered)).toBe(ESTIMATES_PER_MINUTE);
  });
});
