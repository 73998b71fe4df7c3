import { Client } from 'pg';
import type { Answer, Json } from '../support/api';
import { endAfterTests } from '../support/cleanup';
import { createCaller, eventually, type Caller } from '../support/factories';
import { chargedOf, exact, reservationsOf, units } from '../support/ledger';
import { CLUSTER_PROGRAMS, expectLedgerIsRight, NO_RATE_LIMITS, startCluster, type Cluster } from './support/cluster';
import { compares, evalsAmiss, failedOf, reads, show, startLoad, tableOf } from './support/load';
import { describeWith } from './support/programs';
import type { Replica } from './support/replica';

/** Also of compares, so more than a key sends in these tests. */
const ESTIMATES_PER_MINUTE = 240;
const PAUSE_MS = 20_000;
/** Nearly all of its worst charge of about 0.0427 is used: 2,000 tokens at $15 a million and little input, × 1.4. */
const ORDER = { prompt: '[[sim:length=2000]][[sim:slow=5000]]', models: ['sim-sage'], options: { max_tokens: 2000 } };
const KEYED = {
  body: { prompt: '[[sim:slow=2000]]', models: ['sim-swift'] },
  options: { headers: { 'idempotency-key': 'while it slept' } },
};

describeWith(CLUSTER_PROGRAMS, 'Three processes of which something breaks', () => {
  let cluster: Cluster;
  let callers: Caller[];
  beforeAll(async () => {
    cluster = await startCluster({
      variables: { ...NO_RATE_LIMITS, RATE_LIMIT_COMPARE_PER_MINUTE: String(ESTIMATES_PER_MINUTE) },
    });
    callers = await Promise.all(Array.from({ length: 4 }, () => createCaller({ at: cluster.url })));
  });
  afterEach(() => expectLedgerIsRight(cluster.databaseUrl));

  const steadyLoad = (users: Caller[]) =>
    startLoad([compares({ callers: users, perSecond: 10, ms: 200 }), reads({ callers: users, perSecond: 20 })]);
  const newCallers = () => Promise.all(Array.from({ length: 4 }, () => createCaller({ at: cluster.url })));

  /** How many of a new key's estimates are answered, when each process gets more than the limit allows. */
  async function estimatesAnswered(): Promise<number> {
    const caller = await createCaller({ at: cluster.url });
    const everywhere = cluster.replicas.map(({ url }) => caller.at(url));
    const answers = await Promise.all(
      Array.from({ length: ESTIMATES_PER_MINUTE }, () => everywhere)
        .flat()
        .map((one) => one.post('/api/v1/compare/estimate', { prompt: 'hello', models: ['sim-swift'] })),
    );
    return answers.filter(({ status }) => status === 200).length;
  }

  it.each([
    ['is killed', () => cluster.redis.kill(), () => cluster.redis.start()],
    ['hangs', async () => cluster.redis.freeze(), async () => cluster.redis.thaw()],
  ])(
    'serve on and keep the free quota exact while Redis %s, and limit rates again when it is back',
    async (what, lose, bringBack) => {
      await eventually('the limit holds', async () => (await estimatesAnswered()) === ESTIMATES_PER_MINUTE);
      const users = await newCallers();
      const load = steadyLoad(users);
      await eventually('it runs', () => load.sent.length > 30);
      await lose();
      // Nothing counts the requests of a key any more.
      await eventually('no limit holds', async () => (await estimatesAnswered()) === 3 * ESTIMATES_PER_MINUTE);
      const caller = await createCaller({ at: cluster.url, freeQuota: 10, hasPaymentMethod: true });
      const answers = await Promise.all(Array.from({ length: 30 }, () => caller.compare(KEYED.body)));
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(30).fill(200));
      expect(await freeEvalsOf(caller)).toBe(10);
      const begun = load.sent.length;
      await eventually('the load goes on', () => load.sent.length > begun + 30);
      await bringBack();
      await eventually('the limit holds again', async () => (await estimatesAnswered()) === ESTIMATES_PER_MINUTE);
      const sent = await load.stop();
      show(tableOf(`Redis ${what} and comes back:`, sent));
      expect(failedOf(sent).slice(0, 3)).toEqual([]);
      expect(await evalsAmiss(cluster.databaseUrl, users, sent)).toEqual({ lost: [], unasked: [], twice: [] });
    },
    90_000,
  );

  async function freeEvalsOf(caller: Caller): Promise<number> {
    return (await caller.get('/api/v1/usage/statement?limit=100')).body.lines.filter(
      ({ free }: { free: boolean }) => free,
    ).length;
  }

  it('charge nothing twice when one of them is paused for 20 s in the middle of compares and woken', async () => {
    const [sleeper, other] = cluster.replicas as [Replica, Replica, Replica];
    const limited = await createCaller({ at: sleeper.url, freeQuota: 0, monthlySpendLimitUsd: 0.06 });
    const keyed = await createCaller({ at: sleeper.url, freeQuota: 0 });
    const keyedOrder = { ...KEYED.body, prompt: '[[sim:slow=5000]]' };
    const slept = [limited.compare(ORDER), keyed.compare(keyedOrder, KEYED.options)] as const;
    for (const { userId } of [limited, keyed])
      await eventually('it is reserved', async () => (await reservationsOf(cluster.databaseUrl, userId)) === 1);
    const load = steadyLoad(callers);
    sleeper.freeze();
    const begin = performance.now();
    const meanwhile = await Promise.all([
      untilAnswered(() => limited.at(other.url).compare(ORDER), 402),
      untilAnswered(() => keyed.at(other.url).compare(keyedOrder, KEYED.options), 409),
    ]).finally(() =>
      eventually('it has slept long enough', () => performance.now() - begin > PAUSE_MS).finally(() => sleeper.thaw()),
    );
    const [lateOverLimit, lateReplay] = await Promise.all(slept);
    await expectPausedAsDocumented(
      { limited: limited.at(other.url), keyed: keyed.at(other.url) },
      { lateOverLimit, lateReplay, keyedMeanwhile: meanwhile[1] },
    );
    await eventually(
      'HAProxy sends it requests again',
      async () => (await createCaller({ at: sleeper.url }).then((one) => one.compare(KEYED.body))).status === 200,
    );
    const sent = await load.stop();
    show(tableOf('One of three processes is paused for 20 s:', sent));
    expect(failedOf(sent).slice(0, 3)).toEqual([]);
    expect(await evalsAmiss(cluster.databaseUrl, callers, sent)).toEqual({ lost: [], unasked: [], twice: [] });
  }, 90_000);

  /**
   * Repeats the request while the reservation of the sleeping process blocks it with that status; returns the answer.
   */
  async function untilAnswered(ask: () => Promise<Answer<Json>>, refusal: number): Promise<Answer<Json>> {
    let answer = await ask();
    expect(answer.status).toBe(refusal);
    await eventually('its reservation has expired', async () => (answer = await ask()).status !== refusal);
    expect(answer.status).toBe(200);
    return answer;
  }

  /**
   * The limit is charged and not more, a correction takes off the rest; the key has one eval. Nothing is reserved any
   * more.
   */
  async function expectPausedAsDocumented(
    { limited, keyed }: Record<'limited' | 'keyed', Caller>,
    answers: Record<'lateOverLimit' | 'lateReplay' | 'keyedMeanwhile', Answer<Json>>,
  ): Promise<void> {
    expect(answers.lateOverLimit.status).toBe(200);
    expect(await chargedOf(limited)).toBe('0.06');
    const { lines, total } = exact((await limited.get('/api/v1/usage/statement')).text);
    expect(total.eval_count).toBe('2');
    const corrections = lines.filter(({ reason }: { reason: string | null }) => reason !== null);
    expect(corrections.map(({ charge_usd: charge }: { charge_usd: string }) => units(charge) < 0n)).toEqual([true]);
    expect(answers.lateReplay.headers.get('idempotency-replayed')).toBe('true');
    expect(answers.lateReplay.text).toBe(answers.keyedMeanwhile.text);
    expect((await keyed.usage()).eval_count).toBe(1);
    for (const { userId } of [limited, keyed]) expect(await reservationsOf(cluster.databaseUrl, userId)).toBe(0);
  }
});

describeWith(CLUSTER_PROGRAMS, 'A database whose connections somebody else uses up', () => {
  const TIMEOUT_MS = 5000;
  const MAX_CONNECTIONS = 30;
  let cluster: Cluster;
  let caller: Caller;
  beforeAll(async () => {
    cluster = await startCluster({
      variables: { ...NO_RATE_LIMITS, DATABASE_TIMEOUT_MS: String(TIMEOUT_MS) },
      postgres: { max_connections: `${MAX_CONNECTIONS}` },
    });
    caller = await createCaller({ at: cluster.url, freeQuota: 10 });
  });
  afterEach(() => expectLedgerIsRight(cluster.databaseUrl));

  /** Takes every connection that is free, again and again, and ends those of the services if wanted. */
  async function useUp({ alsoTheirs }: { alsoTheirs: boolean }): Promise<{ release: () => Promise<void> }> {
    const held: Client[] = [];
    const release = async () => void (await Promise.all(held.splice(0).map((client) => client.end())));
    endAfterTests(release);
    await eventually('no connection is left', async () => {
      const isFull = !(await takeOne(held));
      if (!alsoTheirs) return isFull;
      // A connection that is being made or closed counts too, and pg_stat_activity does not show it.
      await endOthers(held);
      return held.length === MAX_CONNECTIONS;
    });
    return { release };
  }

  /** True if one more connection is available. */
  async function takeOne(held: Client[]): Promise<boolean> {
    const client = new Client({ connectionString: cluster.postgres.url });
    client.on('error', () => undefined);
    const isTaken = await client.connect().then(
      () => true,
      () => false,
    );
    if (isTaken) held.push(client);
    return isTaken;
  }

  /** Ends the connections of the services. */
  async function endOthers([client]: Client[]): Promise<void> {
    await client?.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and datname = 'mcs'",
    );
  }

  it('is refused with 503 within the timeout, and served again without a restart', async () => {
    const running = caller.compare({ prompt: '[[sim:slow=4000]]', models: ['sim-swift'] });
    await eventually('it runs', async () => (await reservationsOf(cluster.databaseUrl, caller.userId)) === 1);
    const somebodyElse = await useUp({ alsoTheirs: true });
    for (const { url } of cluster.replicas) {
      const begin = performance.now();
      const answers = await Promise.all([
        caller.at(url).compare(KEYED.body),
        caller.at(url).get('/api/v1/evals'),
        caller.at(url).get('/api/v1/usage'),
      ]);
      // A busy machine is slow too, but a request that waits for a connection would wait for the whole outage.
      expect(performance.now() - begin).toBeLessThan(3 * TIMEOUT_MS);
      expect(answers.map(({ status, body, headers }) => [status, body.error.code, headers.has('retry-after')])).toEqual(
        Array(3).fill([503, 'unavailable', true]),
      );
      expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    }
    await eventually(
      'HAProxy answers by itself',
      async () =>
        (await caller.get('/api/v1/models')).body.error?.message === 'The service is not available. Try again later.',
    );
    await somebodyElse.release();
    await eventually('HAProxy finds them ready', async () => (await caller.get('/api/v1/usage')).status === 200);
    // Its model had answered meanwhile, and is paid.
    expect((await running).status).toBe(200);
    for (const { url } of cluster.replicas) expect((await caller.at(url).compare(KEYED.body)).status).toBe(200);
    expect((await caller.usage()).eval_count).toBe(4);
  }, 120_000);

  it('serves everything from the connections it has, for longer than the timeout', async () => {
    // Each has at least one.
    for (const { url } of cluster.replicas) expect((await caller.at(url).get('/api/v1/usage')).status).toBe(200);
    const somebodyElse = await useUp({ alsoTheirs: false });
    const users = cluster.replicas.map(({ url }) => caller.at(url));
    const load = startLoad([
      compares({ callers: users, perSecond: 20, ms: 200 }),
      reads({ callers: users, perSecond: 60 }),
    ]);
    await eventually(
      'it has lasted for longer than the timeout',
      () => (load.sent[load.sent.length - 1]?.at ?? 0) > 2 * TIMEOUT_MS,
    );
    const sent = await load.stop();
    await somebodyElse.release();
    show(tableOf('All connections but a few are used by somebody else:', sent));
    expect(failedOf(sent).slice(0, 3)).toEqual([]);
  }, 120_000);
});
