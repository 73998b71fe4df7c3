import { randomUUID } from 'node:crypto';
import { Api, operator } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { startVendorGate, type VendorGate } from '../../support/vendor-gate';
import { vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const SECOND_MS = 1000;

/** Another replica, whose vendors wait for the gate. */
let other: ServiceProcess;
let gate: VendorGate;
beforeAll(async () => {
  gate = await startVendorGate(worker().vendorUrl);
  other = await startService({ DATABASE_URL: worker().databaseUrl, ...vendorVariables(gate.url) });
});
afterEach(() => gate.open());
afterAll(async () => {
  await other.stop();
  await gate.close();
});

describe('A key on two replicas', () => {
  it('is rejected by both when it is revoked on one', async () => {
    const refusedAfterMs = async () => {
      const caller = await createCaller();
      const there = caller.at(other.url);
      expect((await there.get('/api/v1/usage')).status).toBe(200);
      const revokedAt = performance.now();
      await operator().delete(`/api/v1/admin/keys/${caller.keyId}`);
      await eventually('the other replica refuses it', async () => (await there.get('/api/v1/usage')).status === 401);
      return performance.now() - revokedAt;
    };
    // Kept for a second at most; the rest is a margin for a slow machine.
    expect(await leastWithin(5000, refusedAfterMs)).toBeLessThanOrEqual(5000);
  });
});

describe('A revoked key', () => {
  it('is rejected from the next request on, at the first attempt and at each that follows within the second', async () => {
    const caller = await createCaller();
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    expect((await operator().delete(`/api/v1/admin/keys/${caller.keyId}`)).status).toBe(204);
    for (let i = 0; i < 5; i += 1) expect((await caller.get('/api/v1/usage')).status).toBe(401);
  });
});

describe('An event stream of a key that is revoked on another replica', () => {
  it('ends with an error while its models still answer, and its eval is stored and charged all the same', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    gate.shut();
    const order = { prompt: vendorScript(randomUUID(), {}), models: ['gpt-5.4-mini', 'sim-swift'] };
    const stream = caller.at(other.url).compare(order, { headers: { accept: 'text/event-stream' } });
    const bystander = (await createCaller()).at(other.url).compare(order, { headers: { accept: 'text/event-stream' } });
    await eventually('both streams are open', async () =>
      /^mcs_streams_open 2$/m.test((await new Api(undefined, other.url).get('/metrics')).text),
    );
    await operator().delete(`/api/v1/admin/keys/${caller.keyId}`);
    // Its models answer only when the gate opens.
    const { text } = await stream;
    const names = [...text.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name);
    expect([names[0], names.at(-1), names.filter((name) => name === 'error' || name === 'eval')]).toEqual([
      'eval-started',
      'error',
      ['error'],
    ]);
    expect(text).toMatch(
      /event: error\ndata: \{"error":\{"code":"unauthorized","message":"[^"]+","request_id":"req_\w+"\}\}\n\n$/,
    );
    gate.open();
    expect((await bystander).text).toContain('\nevent: eval\n');
    const row = () =>
      onDatabase(
        worker().databaseUrl,
        async (client) =>
          (
            await client.query(
              'select charges.charge from charges join evals on evals.id = eval_id where charges.user_id = $1',
              [caller.userId],
            )
          ).rows[0],
      );
    await eventually('the eval is stored', async () => Number((await row())?.charge) > 0);
  });
});

describe('A rotated key', () => {
  const HOUR_MS = 3_600_000;
  /** When the key ends by its own expiry and by a rotation with an overlap of two hours at `rotatedAt`. */
  async function endOf(expiresAt: string | null): Promise<{ endsAt: number; rotatedAt: number; successor: unknown }> {
    const { userId, keyId } = await createCaller();
    await operator().patch(`/api/v1/admin/keys/${keyId}`, { expires_at: expiresAt });
    const rotatedAt = Date.now();
    const { body } = await operator().post(`/api/v1/admin/keys/${keyId}/rotate`, { overlap_seconds: 7200 });
    const { keys } = (await operator().get(`/api/v1/admin/users/${userId}/keys`)).body;
    return {
      endsAt: Date.parse(keys.find(({ id }: { id: string }) => id === keyId).expires_at),
      rotatedAt,
      successor: body.expires_at,
    };
  }

  it('never lives longer than it would have lived without rotation', async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const { endsAt, successor } = await endOf(expiresAt);
    expect([endsAt, successor]).toEqual([Date.parse(expiresAt), expiresAt]);
  });

  it.each([
    ['expires later', new Date(Date.now() + 24 * HOUR_MS).toISOString()],
    ['never expires', null],
  ])('ends with the overlap when it %s, and its successor ends as it would have', async (_, expiresAt) => {
    const { endsAt, rotatedAt, successor } = await endOf(expiresAt);
    expect(successor).toBe(expiresAt);
    // By the service's clock, somewhere between the request and now.
    expect(endsAt).toBeGreaterThanOrEqual(rotatedAt + 2 * HOUR_MS);
    expect(endsAt).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS);
  });

  it('hands its spend limit and its models on to its successor', async () => {
    const { userId, keyId } = await createCaller();
    const limits = { monthly_spend_limit_usd: 0.5, allowed_models: ['sim-swift'] };
    expect((await operator().patch(`/api/v1/admin/keys/${keyId}`, limits)).status).toBe(200);
    const rotated = await operator().post(`/api/v1/admin/keys/${keyId}/rotate`, {});
    expect([rotated.status, rotated.body]).toEqual([201, expect.objectContaining(limits)]);
    const {
      body: { keys },
    } = await operator().get(`/api/v1/admin/users/${userId}/keys`);
    expect(keys.map(() => expect.objectContaining(limits))).toEqual(keys);
    expect(keys).toHaveLength(2);
    expect((await new Api(rotated.body.api_key).compare({ prompt: 'Hello', models: ['sim-quill'] })).status).toBe(403);
  });

  it('must be live: a revoked one has no successor', async () => {
    const caller = await createCaller();
    await operator().delete(`/api/v1/admin/keys/${caller.keyId}`);
    const { status, body } = await operator().post(`/api/v1/admin/keys/${caller.keyId}/rotate`, {});
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect((await operator().get(`/api/v1/admin/users/${caller.userId}/keys`)).body.keys).toHaveLength(1);
  });
});

describe('A used key', () => {
  it('records its last use once, however many requests arrive', async () => {
    const caller = await createCaller();
    const lastUse = () =>
      onDatabase(
        worker().databaseUrl,
        async (client) =>
          (
            await client.query<{ last_used_at: Date; xmin: string }>(
              'select last_used_at, xmin from api_keys where id = $1',
              [caller.keyId],
            )
          ).rows[0],
      );
    await caller.get('/api/v1/usage');
    const first = await lastUse();
    expect(first?.last_used_at).toBeInstanceOf(Date);
    await Promise.all(Array.from({ length: 20 }, () => caller.get('/api/v1/usage')));
    expect(await lastUse()).toEqual(first);
  });

  it('counts against its own rate limit, which every response reports', async () => {
    const caller = await createCaller();
    const remaining = async (path: string) => {
      const { headers } = await caller.get(path);
      expect(headers.get('ratelimit-policy')).toBe('"read";q=1200;w=60');
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };
    const before = await remaining('/api/v1/usage');
    expect(await remaining('/api/v1/models')).toBe(before - 1);
    const compared = await caller.compare({ prompt: 'Hello', models: ['sim-swift'] });
    expect(compared.headers.get('ratelimit-policy')).toBe('"compare";q=300;w=60');
  });
});

describe('A key over time', () => {
  it('outlives its rotation as long as requested, expires on time, and records its use again after a minute', async () => {
    const [short, long, expiring] = [await createCaller(), await createCaller(), await createCaller()];
    const hence = (seconds: number) => new Date(Date.now() + seconds * SECOND_MS).toISOString();
    await operator().post(`/api/v1/admin/keys/${short.keyId}/rotate`, { overlap_seconds: 60 });
    await operator().post(`/api/v1/admin/keys/${long.keyId}/rotate`, { overlap_seconds: 3600 });
    await operator().patch(`/api/v1/admin/keys/${expiring.keyId}`, { expires_at: hence(60) });
    const lastUse = async () =>
      Date.parse((await operator().get(`/api/v1/admin/users/${long.userId}/keys`)).body.keys[1].last_used_at as string);
    for (const caller of [short, long, expiring]) expect((await caller.get('/api/v1/usage')).status).toBe(200);
    const first = await lastUse();
    await other.moveClock(120 * SECOND_MS);
    const statuses = await Promise.all(
      [short, long, expiring].map(async (caller) => (await caller.at(other.url).get('/api/v1/usage')).status),
    );
    expect(statuses).toEqual([401, 200, 401]);
    expect(await lastUse()).toBeGreaterThanOrEqual(first + 60_000);
  });
});

describe('The rate limit', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_COMPARE_PER_MINUTE: '4',
      RATE_LIMIT_READ_PER_MINUTE: '5',
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '3',
      MAX_CONCURRENT_COMPARES_PER_KEY: '2',
    });
  });
  afterAll(() => service.stop());

  it('answers 429 to too many estimates of one key under a separate policy, while its compares and reads succeed', async () => {
    const caller = await createCaller({ at: service.url });
    const order = { prompt: 'Hello', models: ['sim-swift'] };
    const estimate = () => caller.post('/api/v1/compare/estimate', order);
    for (let n = 0; n < 3; n += 1) expect((await estimate()).status).toBe(200);
    const last = await estimate();
    expect([last.headers.get('ratelimit-policy'), last.headers.get('ratelimit')?.slice(0, 15)]).toEqual([
      '"estimate";q=4;w=60',
      '"estimate";r=0;',
    ]);
    const refused = await estimate();
    expect([refused.status, refused.body.error.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
    const [compared, read] = [await caller.compare(order), await caller.get('/api/v1/usage')];
    expect([compared.headers.get('ratelimit-policy'), read.headers.get('ratelimit-policy')]).toEqual([
      '"compare";q=4;w=60',
      '"read";q=5;w=60',
    ]);
  });

  it('answers 429 with Retry-After to too many requests of one key, while other keys succeed', async () => {
    const [busy, calm] = [await createCaller({ at: service.url }), await createCaller({ at: service.url })];
    const answers = await Promise.all(Array.from({ length: 8 }, () => busy.get('/api/v1/usage')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.body.error.code).toBe('rate_limited');
    expect((await calm.get('/api/v1/usage')).status).toBe(200);
    // As many as the rate limit allows, and more than may run at once.
    const parallel = await Promise.all(
      Array.from({ length: 4 }, () => calm.compare({ prompt: '[[sim:slow=4000]]', models: ['sim-swift'] })),
    );
    expect(parallel.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
  });

  it('answers 429 to too many wrong keys from one address, while a valid key from there succeeds', async () => {
    const caller = await createCaller({ at: service.url });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await new Api('nonsense', service.url).get('/api/v1/usage')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
  });
});
