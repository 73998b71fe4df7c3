import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { Api } from '../../support/api';
import { aCertificate, aCertificateAuthority } from '../../support/certificates';
import { doctor } from '../../support/doctor';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { admittedOf } from '../../support/rate-limits';
import { describeWithRedis } from '../../support/redis';
import { RedisServer } from '../../support/redis-server';
import { startService, type ServiceProcess } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const LIMIT = 20;
const LEASE_SECONDS = 4;
const SLOW = { prompt: '[[sim:slow=60000]]', models: ['sim-swift'] };
const QUICK = { prompt: 'Hello', models: ['sim-swift'] };

describeWithRedis('A service with REDIS_URL', () => {
  let redis: RedisServer;
  let services: ServiceProcess[];

  const startOne = () =>
    startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      REDIS_URL: redis.url,
      RATE_LIMIT_READ_PER_MINUTE: `${LIMIT}`,
      RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
      MAX_CONCURRENT_COMPARES_PER_KEY: '3',
      RESERVATION_TTL_SECONDS: `${LEASE_SECONDS}`,
    });

  // Each test leaves them running and in touch.
  beforeAll(async () => {
    redis = await RedisServer.onFreePort();
    await redis.start();
    services = await Promise.all([startOne(), startOne()]);
  });
  beforeEach(() => redis.ask((client) => client.flushall()));
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    await redis.remove();
  });

  const urlOf = (index: number) => services[index]?.url ?? '';
  const everywhere = (caller: Caller) => [caller.at(urlOf(0)), caller.at(urlOf(1))] as const;
  const warnings = (index: number) =>
    services[index]
      ?.output()
      .split('\n')
      .filter((line) => line.includes('store of the rate limits does not answer')) ?? [];

  /** Its log lines about the store. */
  const said = (index: number) =>
    [...(services[index]?.output() ?? '').matchAll(/"msg":"(the store of the rate limits [^"]*)"/g)].map(
      ([, words]) => words,
    );

  async function admitted(caller: Caller, requests: number): Promise<number> {
    const callers = everywhere(caller);
    return admittedOf(
      await Promise.all(
        Array.from({ length: requests }, (_, index) => callers[index % 2 === 0 ? 0 : 1].get('/api/v1/usage')),
      ),
    );
  }

  async function failedOpen(index: number): Promise<number> {
    const { text } = await new Api(undefined, urlOf(index)).get('/metrics');
    return Number(/^mcs_rate_limits_failed_open_total (\d+)$/m.exec(text)?.[1]);
  }

  async function storeUp(index: number): Promise<number> {
    return Number(
      /^mcs_shared_store_up (\d)$/m.exec((await new Api(undefined, urlOf(index)).get('/metrics')).text)?.[1],
    );
  }

  /** A key is new, so its limit can only hold where its requests are counted. */
  async function limitHolds(): Promise<boolean> {
    return (await admitted(await createCaller({ at: urlOf(0) }), LIMIT + 10)) === LIMIT;
  }

  it('lets requests pass uncounted and says why while that Redis is a replica, and limits again when it is the primary', async () => {
    const [IS_REPLICA, AGAIN] = [
      'the store of the rate limits is a replica, which takes no writes, and requests pass uncounted; REDIS_URL has to lead to the primary',
      'the store of the rate limits answers again',
    ];
    const silentAboutIt = async () => {
      await redis.ask((client) => client.replicaof('NO', 'ONE'));
      await eventually('the limit holds', limitHolds);
      const caller = await createCaller({ at: urlOf(0) });
      await redis.ask((client) => client.replicaof('127.0.0.1', 1));
      expect(await admitted(caller, 2 * LIMIT)).toBe(2 * LIMIT);
      return [0, 1].filter((index) => said(index).at(-1) !== IS_REPLICA).length;
    };
    // Where an answer came too late at that moment, the outage has begun with that, and has no other line.
    expect(await leastWithin(0, silentAboutIt)).toBe(0);
    await redis.ask((client) => client.replicaof('NO', 'ONE'));
    await eventually('the limit holds again', limitHolds);
    // One line begins an outage and one ends it. On a slow machine, a late answer may have been a separate outage.
    for (const index of [0, 1])
      expect(said(index).map((line) => line === AGAIN)).toEqual(said(index).map((_, position) => position % 2 === 1));
    for (const index of [0, 1]) expect(said(index).at(-1)).toBe(AGAIN);
  });

  it('holds one limit of two processes exactly, under keys of the service that contain no secret', async () => {
    const keyIds: string[] = [];
    const admittedOfOne = async () => {
      const caller = await createCaller({ at: urlOf(0) });
      keyIds.push(caller.keyId);
      return admitted(caller, 3 * LIMIT);
    };
    expect(await leastWithin(LIMIT, admittedOfOne)).toBe(LIMIT);
    await new Api('mcs_no-such-secret', urlOf(1)).get('/api/v1/usage');
    const expected = [
      'mcs:rate:60:failed-authentication:127.0.0.1',
      ...keyIds.map((id) => `mcs:rate:60:read:${id}`).sort(),
    ];
    // A count that came too late for its request is entered all the same.
    await eventually('all are counted', async () => (await redis.ask((client) => client.dbsize())) >= expected.length);
    expect((await redis.ask((client) => client.keys('*'))).sort()).toEqual(expected);
  });

  it('shares the leases of concurrent compares between two processes, and releases them', async () => {
    const stream = { headers: { accept: 'text/event-stream' } };
    const short = { prompt: '[[sim:slow=4000]]', models: ['sim-swift'] };
    const granted = async () => {
      const [here, there] = everywhere(await createCaller({ at: urlOf(0) }));
      const count = admittedOf(
        await Promise.all([here, there, here, there, here, there].map((caller) => caller.compare(short, stream))),
      );
      expect(
        (await Promise.all([here, there, there].map((caller) => caller.compare(short)))).map(({ status }) => status),
      ).toEqual([200, 200, 200]);
      return count;
    };
    expect(await leastWithin(3, granted)).toBe(3);
  });

  it('releases the leases of a killed process, and keeps those of a running one however long it runs', async () => {
    const [here, there] = everywhere(await createCaller({ at: urlOf(0) }));
    const failedBefore = await failedOpen(1);
    const lost = [1, 2, 3].map(() => here.compare(SLOW).catch(() => undefined));
    await eventually(
      'all leases are taken',
      async () => (await redis.ask((client) => client.zcard(`mcs:parallel:${here.keyId}`))) === 3,
    );
    const until = performance.now() + 2.5 * LEASE_SECONDS * 1000;
    let passed = 0;
    while (performance.now() < until) {
      const { status } = await there.compare(QUICK);
      if (status !== 429) passed += 1;
    }
    // None, except requests for which Redis was too late.
    expect(passed).toBeLessThanOrEqual((await failedOpen(1)) - failedBefore);
    await services[0]?.kill();
    await Promise.all(lost);
    await eventually('the leases are free again', async () => (await there.compare(QUICK)).status === 200);
    // Each on its own: while others of the key are renewed, the set of all of them does not expire.
    const [key, past, future] = [
      `mcs:parallel:${here.keyId}`,
      String(Date.now() - 60_000),
      String(Date.now() + 3_600_000),
    ];
    await redis.ask((client) => client.zadd(key, past, 'dead 1', past, 'dead 2', future, 'renewed'));
    expect((await there.compare(QUICK)).status).toBe(200);
    expect(await redis.ask((client) => client.zcard(key))).toBe(1);
    services[0] = await startOne();
  });

  it('lets requests pass while Redis is unreachable, with one warning per outage and a count, and limits them again afterwards', async () => {
    const failedBefore = await failedOpen(0);
    for (const outage of [1, 2]) {
      // On a busy machine a late answer may have been a separate outage; these are over now.
      await eventually('the limit holds', limitHolds);
      const before = [warnings(0).length, warnings(1).length];
      await redis.kill();
      const caller = await createCaller({ at: urlOf(0) });
      expect(await admitted(caller, 3 * LIMIT)).toBe(3 * LIMIT);
      await eventually('both have warned', () =>
        [0, 1].every((index) => warnings(index).length > (before[index] ?? 0)),
      );
      expect([warnings(0).length, warnings(1).length]).toEqual(before.map((count) => count + 1));
      expect((await failedOpen(0)) - failedBefore).toBeGreaterThanOrEqual(outage * 1.5 * LIMIT);
      await redis.start();
      await eventually('the limit holds again', limitHolds);
    }
  });

  it('delays no more than the first requests when Redis hangs', async () => {
    const hung = async () => {
      const caller = await createCaller({ at: urlOf(0) });
      // On a busy machine a late answer may have been a separate outage; it is over now.
      await eventually('the limit holds', limitHolds);
      expect(await storeUp(0)).toBe(1);
      const before = warnings(0).length;
      redis.freeze();
      const begun = performance.now();
      for (let i = 0; i < 2 * LIMIT; i += 1) expect((await caller.get('/api/v1/usage')).status).toBe(200);
      const tookMs = performance.now() - begun;
      await eventually('it has warned', () => warnings(0).length > before);
      expect(warnings(0)).toHaveLength(before + 1);
      expect(await storeUp(0)).toBe(0);
      redis.thaw();
      await eventually('the limit holds again', limitHolds);
      expect(await storeUp(0)).toBe(1);
      return tookMs;
    };
    // 250 ms each if every one of them waited.
    expect(await leastWithin(2 * LIMIT * 125, hung)).toBeLessThanOrEqual(2 * LIMIT * 125);
  }, 300_000);

  it('keeps quota and spend limit exact while Redis is unreachable', async () => {
    await redis.kill();
    const free = everywhere(await createCaller({ at: urlOf(0), freeQuota: 2 }));
    const answers = await Promise.all([free[0], free[1], free[0], free[1]].map((caller) => caller.compare(QUICK)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const one = Number((await free[0].compare(QUICK)).body.meta.total_cost_usd) * 1.4;
    expect((await free[0].usage()).free_evals_remaining).toBe(0);
    expect((await free[0].usage()).total_charge_usd).toBeCloseTo(3 * one, 12);

    const large = { ...QUICK, options: { max_tokens: 16_000 } };
    const { most } = (await free[0].post('/api/v1/compare/estimate', large)).body.charge_usd;
    // Limits have six decimals; what is rounded up here is less than what one eval costs.
    const monthlySpendLimitUsd = Math.ceil(most * 1e6) / 1e6;
    const limited = everywhere(
      await createCaller({ at: urlOf(0), freeQuota: 0, hasPaymentMethod: true, monthlySpendLimitUsd }),
    );
    const paid = await Promise.all(
      [limited[0], limited[1], limited[0], limited[1]].map((caller) => caller.compare(large)),
    );
    expect(paid.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402]);
    await redis.start();
    await eventually('the limit holds again', limitHolds);
  });
});

describe('A service with a REDIS_URL that cannot be followed', () => {
  const ca = aCertificateAuthority('The CA of Redis');
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

  it.each([
    [
      'has run out',
      aCertificate(ca, '127.0.0.1', inDays(-1)),
      "the server's certificate, or that of its CA, has run out.",
    ],
    [
      'is not valid yet',
      aCertificate(ca, '127.0.0.1', inDays(9), inDays(1)),
      "the server's certificate, or that of its CA, is not valid yet; is the clock of this machine right?",
    ],
  ])(
    'starts, and says why it counts nothing, with a certificate of the server that %s',
    async (_, { certificate: cert, key }, sentence) => {
      const server = createServer({ cert, key })
        .on('tlsClientError', () => undefined)
        .listen(0, '127.0.0.1');
      await once(server, 'listening');
      const roots = join(temporaryFolder(), 'ca.pem');
      writeFileSync(roots, ca.certificate);
      const variables = {
        DATABASE_URL: worker().databaseUrl,
        SIMULATOR: 'on',
        REDIS_URL: `rediss://127.0.0.1:${(server.address() as AddressInfo).port}`,
        NODE_EXTRA_CA_CERTS: roots,
      };
      try {
        const service = await startService(variables);
        expect(service.output().match(/"msg":"the store of[^\n]*/g)).toEqual([
          `"msg":"the store of the rate limits does not answer, and requests pass uncounted until it does: ${sentence}"}`,
        ]);
        expect((await (await createCaller({ at: service.url })).get('/api/v1/usage')).status).toBe(200);
        expect(await service.stop()).toBe(0);
        expect((await doctor(variables)).of('redis')).toBe(`broken: REDIS_URL: ${sentence}`);
      } finally {
        server.close();
      }
    },
  );
});

describeWithRedis('A service with REDIS_URL of a server that is not running yet', () => {
  it('starts and serves, and counts as soon as Redis answers', async () => {
    const redis = await RedisServer.onFreePort();
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      REDIS_URL: redis.url,
      RATE_LIMIT_READ_PER_MINUTE: '2',
    });
    try {
      const caller = await createCaller({ at: service.url });
      for (let i = 0; i < 5; i += 1) expect((await caller.get('/api/v1/usage')).status).toBe(200);
      await redis.start();
      await eventually('the limit holds', async () => (await caller.get('/api/v1/usage')).status === 429);
      expect(await service.stop()).toBe(0);
    } finally {
      await service.kill();
      await redis.remove();
    }
  });
});
