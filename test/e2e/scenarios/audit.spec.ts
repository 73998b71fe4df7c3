import { operator, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller } from '../../support/factories';
import { TEST_SECRETS } from '../../support/service';
import { worker } from '../../support/worker';

const entriesOf = async (target: string): Promise<Json[]> =>
  (await operator().get(`/api/v1/admin/audit?limit=100&target=${target}`)).body.entries;

describe('The audit log', () => {
  it('contains every change to a user and a key, newest first, with actor, address and values', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const created = await operator().post(
      '/api/v1/admin/users',
      { email, monthly_spend_limit_usd: 12.345678 },
      { headers: { 'x-request-id': 'my-request-1' } },
    );
    const { id: userId } = created.body;
    await operator().patch(`/api/v1/admin/users/${userId}`, { free_quota: 3, has_payment_method: false });
    const adjustment = await operator().post(`/api/v1/admin/users/${userId}/adjustments`, {
      amount_usd: -0.000000000001,
      reason: 'Goodwill',
      month: '2026-11',
    });
    const issued = await operator().post(`/api/v1/admin/users/${userId}/keys`, { name: 'ci', scopes: ['compare'] });
    const { id: keyId } = issued.body;
    await operator().patch(`/api/v1/admin/keys/${keyId}`, { expires_at: '2199-01-01T00:00:00Z' });
    const rotated = await operator().post(`/api/v1/admin/keys/${keyId}/rotate`, { overlap_seconds: 60 });
    await operator().delete(`/api/v1/admin/keys/${keyId}`);

    const ofUser = await entriesOf(userId);
    expect(ofUser.map(({ action, changes }) => [action, changes])).toEqual([
      [
        'charge.adjusted',
        {
          charge_id: { from: null, to: adjustment.body.id },
          month: { from: null, to: '2026-11' },
          charge: { from: null, to: '-0.000000000001' },
          reason: { from: null, to: 'Goodwill' },
        },
      ],
      ['user.updated', { free_quota: { from: null, to: 3 } }],
      [
        'user.created',
        {
          email: { from: null, to: email },
          has_payment_method: { from: null, to: false },
          monthly_spend_limit: { from: null, to: '12.345678' },
        },
      ],
    ]);
    expect(ofUser[2]).toEqual({
      id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
      at: expect.any(String),
      action: 'user.created',
      target_type: 'user',
      target_id: userId,
      actor: expect.stringMatching(/^admin_[0-9a-f]{8}$/),
      request_id: 'my-request-1',
      address: '127.0.0.1',
      changes: expect.any(Object),
    });
    const ofKey = await entriesOf(keyId);
    expect(ofKey.map(({ action, changes }) => [action, changes])).toEqual([
      ['key.revoked', { revoked_at: { from: null, to: expect.any(String) } }],
      [
        'key.rotated',
        {
          expires_at: { from: '2199-01-01T00:00:00.000Z', to: expect.any(String) },
          successor: { from: null, to: rotated.body.id },
        },
      ],
      ['key.updated', { expires_at: { from: null, to: '2199-01-01T00:00:00.000Z' } }],
      [
        'key.issued',
        {
          user_id: { from: null, to: userId },
          name: { from: null, to: 'ci' },
          scopes: { from: null, to: ['compare'] },
        },
      ],
    ]);
    const whole = JSON.stringify([...ofUser, ...ofKey]);
    for (const secret of [
      issued.body.api_key,
      rotated.body.api_key,
      TEST_SECRETS.ADMIN_API_KEY,
      TEST_SECRETS.API_KEY_PEPPER,
    ]) {
      for (const part of [secret, secret.slice(0, 10), secret.slice(-10)]) expect(whole).not.toContain(part);
    }
  });

  it('contains no entry for what changed nothing and for what was rejected', async () => {
    const caller = await createCaller();
    const count = async () => (await entriesOf(caller.userId)).length + (await entriesOf(caller.keyId)).length;
    await operator().delete(`/api/v1/admin/keys/${caller.keyId}`);
    const before = await count();
    await operator().delete(`/api/v1/admin/keys/${caller.keyId}`);
    await operator().patch(`/api/v1/admin/users/${caller.userId}`, { has_payment_method: false });
    await operator().patch(`/api/v1/admin/users/${caller.userId}`, {});
    expect((await operator().post(`/api/v1/admin/keys/${caller.keyId}/rotate`, {})).status).toBe(409);
    expect((await operator().post('/api/v1/admin/users', { email: caller.email })).status).toBe(409);
    expect(await count()).toBe(before);
  });

  it('is written in the transaction of the change: where the entry cannot be written, nothing changes', async () => {
    const caller = await createCaller();
    const { userId, keyId } = caller;
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(
        `alter table audit_entries add constraint "no_${userId}" check (target_id not in ('${userId}', '${keyId}')) not valid`,
      ),
    );
    const refused = await Promise.all([
      operator().patch(`/api/v1/admin/users/${userId}`, { free_quota: 1 }),
      operator().post(`/api/v1/admin/users/${userId}/adjustments`, { amount_usd: 5, reason: 'x' }),
      operator().post(`/api/v1/admin/keys/${keyId}/rotate`, {}),
      operator().delete(`/api/v1/admin/keys/${keyId}`),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(`alter table audit_entries drop constraint "no_${userId}"`),
    );
    expect((await operator().get(`/api/v1/admin/users/${userId}`)).body.free_quota).toBeNull();
    expect((await operator().get(`/api/v1/admin/users/${userId}/keys`)).body.keys).toEqual([
      expect.objectContaining({ id: keyId, expires_at: null, revoked_at: null }),
    ]);
    expect((await caller.usage()).total_charge_usd).toBe(0);
  });

  it('contains the true previous values of two changes at once', async () => {
    const { userId } = await createCaller();
    await Promise.all(
      [1, 2, 3, 4].map((quota) => operator().patch(`/api/v1/admin/users/${userId}`, { free_quota: quota })),
    );
    const quotas = (await entriesOf(userId))
      .filter(({ action }) => action === 'user.updated')
      .map(({ changes }) => changes.free_quota);
    expect(quotas.map(({ to }) => to).sort()).toEqual([1, 2, 3, 4]);
    // Each but the first found what another had left.
    expect(quotas.map(({ from }) => String(from)).sort()).toEqual(
      [...new Set(quotas.map(({ from }) => String(from)))].sort(),
    );
    expect((await operator().get(`/api/v1/admin/users/${userId}`)).body.free_quota).not.toBeNull();
  });

  it('is read page by page, completely or for one target', async () => {
    const { userId } = await createCaller();
    for (const quota of [1, 2, 3, 4]) await operator().patch(`/api/v1/admin/users/${userId}`, { free_quota: quota });
    const seen: unknown[] = [];
    let path: string | undefined = `/api/v1/admin/audit?limit=2&target=${userId}`;
    while (path !== undefined) {
      const page = await operator().get(path);
      expect(page.body.limit).toBe(2);
      seen.push(...page.body.entries.map((entry: Json) => entry.changes.free_quota?.to ?? entry.action));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual([4, 3, 2, 1, 'user.created']);
    expect((await operator().get('/api/v1/admin/audit?limit=1')).body.entries).toHaveLength(1);
    expect((await operator().get('/api/v1/admin/audit?limit=5000')).body.limit).toBe(100);
    expect(await entriesOf('nobody')).toEqual([]);
  });

  it.each(['limit=0', 'limit=x', 'cursor=nonsense', `target=${'x'.repeat(101)}`, 'target=%00', 'target=a&target=b'])(
    'rejects the query %s',
    async (query) => {
      const { status, body } = await operator().get(`/api/v1/admin/audit?${query}`);
      expect([status, body.error.param]).toEqual([400, query.split('=')[0]]);
    },
  );
});
