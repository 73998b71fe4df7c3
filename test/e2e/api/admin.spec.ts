import { Api, operator } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { anotherKey } from '../../support/ledger';

const KEY = /^mcs_[0-9A-Za-z]{36}$/;
const address = () => `${crypto.randomUUID()}@example.com`;

describe('The admin endpoints', () => {
  it('create a user, once for each e-mail address', async () => {
    const email = address();
    const created = await operator().post('/api/v1/admin/users', {
      email,
      free_quota: 5,
      has_payment_method: true,
      monthly_spend_limit_usd: 12.345678,
    });
    expect(created.status).toBe(201);
    expect((await operator().get(`/api/v1/admin/users/${created.body.id}`)).body).toEqual(created.body);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^user_/),
      email,
      free_quota: 5,
      has_payment_method: true,
      monthly_spend_limit_usd: 12.345678,
      created_at: expect.any(String),
    });
    const again = await operator().post('/api/v1/admin/users', { email: email.toUpperCase() });
    expect(again.status).toBe(409);
    expect(again.body.error).toMatchObject({ code: 'conflict', param: 'email' });
  });

  it.each([
    [{}, 'email'],
    [{ email: 'nobody' }, 'email'],
    [{ email: 'a@example.com', free_quota: -1 }, 'free_quota'],
    [{ email: 'a@example.com', has_payment_method: 'yes' }, 'has_payment_method'],
    [{ email: 'a@example.com', admin: true }, 'admin'],
    [{ email: 'a@example.com', monthly_spend_limit_usd: 0.1234567 }, 'monthly_spend_limit_usd'],
  ])('reject a user of %j', async (body, param) => {
    const answer = await operator().post('/api/v1/admin/users', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.param).toBe(param);
  });

  it('change a user with effect on the next request', async () => {
    const caller = await createCaller();
    // So that the service remembers the old settings.
    expect((await caller.usage()).free_evals_remaining).toBe(100);
    const patched = await operator().patch(`/api/v1/admin/users/${caller.userId}`, {
      free_quota: 3,
      has_payment_method: true,
    });
    expect(patched.body).toMatchObject({ free_quota: 3, has_payment_method: true, monthly_spend_limit_usd: null });
    expect((await caller.get('/api/v1/usage')).body).toMatchObject({
      free_evals_remaining: 3,
      has_payment_method: true,
    });
    const reset = await operator().patch(`/api/v1/admin/users/${caller.userId}`, { free_quota: null });
    expect(reset.body).toMatchObject({ free_quota: null, has_payment_method: true });
  });

  it('find and list users', async () => {
    const caller = await createCaller();
    expect((await operator().get(`/api/v1/admin/users/${caller.userId}`)).body).toMatchObject({
      id: caller.userId,
      email: caller.email,
    });
    expect((await operator().get('/api/v1/admin/users?limit=1')).body.users).toHaveLength(1);
  });

  it('find a user by the e-mail address, in any case of letters', async () => {
    const caller = await createCaller();
    for (const email of [caller.email, caller.email.toUpperCase()])
      expect(
        (await operator().get(`/api/v1/admin/users?email=${email}`)).body.users.map(({ id }: { id: string }) => id),
      ).toEqual([caller.userId]);
    for (const email of [`x${caller.email}`, '%25', 'a_b@example.com'])
      expect((await operator().get(`/api/v1/admin/users?email=${email}`)).body.users).toEqual([]);
    expect((await caller.get(`/api/v1/admin/users?email=${caller.email}`)).status).toBe(403);
  });

  it('issue a key once and list it without its secret', async () => {
    const caller = await createCaller();
    const issued = await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, {
      name: 'second',
      expires_at: '2199-01-01T00:00:00Z',
    });
    expect(issued.status).toBe(201);
    expect(issued.body.api_key).toMatch(KEY);
    expect((await new Api(issued.body.api_key).get('/api/v1/usage')).status).toBe(200);
    const listed = await operator().get(`/api/v1/admin/users/${caller.userId}/keys`);
    expect(listed.body.keys).toHaveLength(2);
    expect(listed.body.keys[0]).toMatchObject({
      name: 'second',
      prefix: issued.body.api_key.slice(0, 10),
      expires_at: '2199-01-01T00:00:00.000Z',
      last_used_at: expect.any(String),
    });
    expect(listed.text).not.toContain(issued.body.api_key);
  });

  it('require the expiry of a key to be in the future', async () => {
    const caller = await createCaller();
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    const soon = new Date(Date.now() + 5000).toISOString();
    expect((await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { expires_at: soon })).body.expires_at).toBe(
      soon,
    );
    await eventually('the key has expired', async () => (await caller.get('/api/v1/usage')).status === 401);
    for (const past of [soon, '2020-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z']) {
      for (const answer of [
        await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { expires_at: past }),
        await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, { name: 'late', expires_at: past }),
      ])
        expect([past, answer.status, answer.body.error]).toEqual([
          past,
          400,
          expect.objectContaining({
            code: 'invalid_request',
            param: 'expires_at',
            message: 'expires_at must lie in the future.',
          }),
        ]);
    }
    expect(
      (await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { expires_at: null })).body.expires_at,
    ).toBeNull();
    await eventually('the key lives again', async () => (await caller.get('/api/v1/usage')).status === 200);
  });

  it('revoke a key at once, once, and no other key of the user', async () => {
    const caller = await createCaller();
    const other = await anotherKey(caller);
    const revocation = async () =>
      (await operator().get(`/api/v1/admin/keys/${caller.keyId}`)).body.revoked_at as string | null;
    for (const key of [caller, other]) expect((await key.get('/api/v1/usage')).status).toBe(200);
    expect(await revocation()).toBeNull();
    expect((await operator().delete(`/api/v1/admin/keys/${caller.keyId}`)).status).toBe(204);
    const revokedAt = await revocation();
    expect(revokedAt).toEqual(expect.any(String));
    expect((await caller.get('/api/v1/usage')).status).toBe(401);
    expect((await operator().delete(`/api/v1/admin/keys/${caller.keyId}`)).status).toBe(204);
    expect(await revocation()).toBe(revokedAt);
    expect((await other.get('/api/v1/usage')).status).toBe(200);
  });

  it.each([
    ['GET', 'users/user_unknown', undefined],
    ['PATCH', 'users/user_unknown', { free_quota: 1 }],
    ['GET', 'users/user_unknown/keys', undefined],
    ['POST', 'users/user_unknown/keys', { name: 'lost' }],
    ['GET', 'users/user_unknown/usage', undefined],
    ['GET', 'keys/key_unknown', undefined],
    ['PATCH', 'keys/key_unknown', { allowed_models: null }],
    ['DELETE', 'keys/key_unknown', undefined],
    ['POST', 'keys/key_unknown/rotate', {}],
  ])('answer 404 to %s %s, of which there is none', async (method, path, body) => {
    expect(await operator().call(method, `/api/v1/admin/${path}`, body)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('rotate a key with and without overlap', async () => {
    const caller = await createCaller();
    const first = await operator().post(`/api/v1/admin/keys/${caller.keyId}/rotate`, { overlap_seconds: 3600 });
    expect(first.status).toBe(201);
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    // Used just before, so that the service remembers it.
    expect((await new Api(first.body.api_key).get('/api/v1/usage')).status).toBe(200);
    const second = await operator().post(`/api/v1/admin/keys/${first.body.id}/rotate`, {});
    expect((await new Api(first.body.api_key).get('/api/v1/usage')).status).toBe(401);
    expect((await new Api(second.body.api_key).get('/api/v1/usage')).status).toBe(200);
    expect((await operator().post(`/api/v1/admin/keys/${first.body.id}/rotate`, {})).status).toBe(409);
  });

  it("answer 403 to a user's key, and treat the admin key as no user", async () => {
    const caller = await createCaller();
    expect((await caller.get('/api/v1/admin/users')).status).toBe(403);
    expect((await operator().get('/api/v1/usage')).status).toBe(401);
  });
});
