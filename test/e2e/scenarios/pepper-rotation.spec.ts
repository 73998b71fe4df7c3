import { createHmac, randomInt } from 'node:crypto';
import { newSecret } from '../../../src/modules/auth/api-key.format';
import { Api, operator } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, eventually, expire, type Caller } from '../../support/factories';
import { QueryRecorder } from '../../support/query-recorder';
import { startService, TEST_SECRETS, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const PREVIOUS = TEST_SECRETS.API_KEY_PEPPER;
const NEW = 'new-pepper-0123456789abcdef';

const hashUnder = (pepper: string, key: string | undefined) =>
  createHmac('sha256', pepper)
    .update(key ?? '')
    .digest('hex');

async function storedHash(caller: Caller): Promise<string | undefined> {
  return onDatabase(
    worker().databaseUrl,
    async (client) =>
      (await client.query<{ hash: string }>('select hash from api_keys where id = $1', [caller.keyId])).rows[0]?.hash,
  );
}

describe('The rotation of the pepper', () => {
  let recorder: QueryRecorder;
  let service: ServiceProcess;
  beforeAll(async () => {
    recorder = await QueryRecorder.inFrontOf(worker().databaseUrl);
    service = await startService({
      DATABASE_URL: recorder.url,
      DATABASE_POOL_MAX: '1',
      SIMULATOR: 'on',
      API_KEY_PEPPER: NEW,
      API_KEY_PEPPER_PREVIOUS: PREVIOUS,
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '1000000',
    });
  });
  afterAll(async () => {
    await service.stop();
    await recorder.close();
  });

  /** The statements of authentication for that work. */
  const keyStatements = async (work: () => Promise<unknown>) =>
    (await recorder.during(work))
      .map(({ sql }) => sql)
      .filter((sql) => sql.includes('api_keys'))
      .map((sql) => sql.trim().split(/\s+/)[0] ?? '');

  it('accepts a key under the previous pepper with one look-up, and rehashes it with the new one once', async () => {
    const caller = await createCaller();
    expect(await storedHash(caller)).toBe(hashUnder(PREVIOUS, caller.key));
    const there = caller.at(service.url);
    const first = await keyStatements(async () => expect((await there.get('/api/v1/models')).status).toBe(200));
    // The look-up, the note of its use, the new hash.
    expect(first).toEqual(['select', 'update', 'update']);
    expect(await storedHash(caller)).toBe(hashUnder(NEW, caller.key));
    await operator(service.url).patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes: null });
    expect(await keyStatements(async () => expect((await there.get('/api/v1/models')).status).toBe(200))).toEqual([
      'select',
    ]);
  });

  it('rehashes a key only once for many concurrent requests', async () => {
    const lookUps = async () => {
      const there = (await createCaller()).at(service.url);
      const sent = await keyStatements(async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => there.get('/api/v1/models')));
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      });
      expect(sent.filter((verb) => verb === 'update')).toHaveLength(2);
      return sent.filter((verb) => verb === 'select').length;
    };
    // A key is known for a second; where they take longer than that, it is looked up again.
    expect(await leastWithin(1, lookUps)).toBe(1);
  });

  it('accepts a rehashed key where the new pepper stands alone, and rejects any other', async () => {
    const [moved, left] = [await createCaller(), await createCaller()];
    expect((await moved.at(service.url).get('/api/v1/models')).status).toBe(200);
    const after = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', API_KEY_PEPPER: NEW });
    try {
      expect((await moved.at(after.url).get('/api/v1/models')).status).toBe(200);
      expect((await left.at(after.url).get('/api/v1/models')).status).toBe(401);
    } finally {
      await after.stop();
    }
  });

  it('lets a replica that knows the new pepper beforehand accept keys of both', async () => {
    const before = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      API_KEY_PEPPER: PREVIOUS,
      API_KEY_PEPPER_PREVIOUS: NEW,
    });
    try {
      const caller = await createCaller();
      for (const url of [before.url, service.url, before.url, service.url])
        expect((await caller.at(url).get('/api/v1/models')).status).toBe(200);
    } finally {
      await before.stop();
    }
  });

  it('costs one look-up, then none for a while, for unknown, revoked and expired keys, and none at all for a mistyped key', async () => {
    const [revoked, expired] = [await createCaller(), await createCaller()];
    await operator(service.url).delete(`/api/v1/admin/keys/${revoked.keyId}`);
    await expire(expired);
    const work = async (key: string | undefined) =>
      keyStatements(async () => expect((await new Api(key, service.url).get('/api/v1/models')).status).toBe(401));
    for (const key of [newSecret(), revoked.key, expired.key]) {
      expect(await work(key)).toEqual(['select']);
      // Kept for a second, which a slow machine may need for one request: so look until two come within it.
      await eventually('a look-up is saved', async () => (await work(key)).length === 0);
    }
    const typo = `${newSecret().slice(0, -1)}${randomInt(10)}`;
    for (const key of ['mcs_', 'nonsense', typo.slice(0, 39), `${typo}0`]) expect(await work(key)).toEqual([]);
  });
});
