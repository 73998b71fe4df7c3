import { Clock } from '../common/clock';
import { Config } from '../common/config';
import type { ApiKey } from './api-key.entity';
import type { AuthRepository } from './auth.repository';
import { AuthService } from './auth.service';
import { ApiKeyCacheService } from './api-key-cache.service';
import { hashOf, newSecret } from './api-key.format';

const CONFIG = Config.read({ DATABASE_URL: 'postgresql://here/db', ADMIN_API_KEY: 'operator-key-0123456789', API_KEY_PEPPER: 'pepper-0123456789abcdef' });
const NOW = Date.parse('2026-11-21T10:00:00.000Z');

/** A clock that stands where the test puts it. */
class StillClock extends Clock {
  constructor(public instant: Date) {
    super();
  }

  override now(): Date {
    return this.instant;
  }
}

/** A service that knows one key, in that state; the key was noted as used just now, so that nothing has to be written. */
function knowing(state: Partial<ApiKey>) {
  const secret = newSecret();
  const user = { id: 'user_1', email: 'a@example.com', freeQuota: null, hasPaymentMethod: false, monthlySpendLimit: null, createdAt: new Date(NOW) };
  const key: ApiKey = {
    id: 'key_1', user, name: 'one', prefix: 'mcs_', hash: hashOf(secret, CONFIG.API_KEY_PEPPER), monthlySpendLimit: null, allowedModels: null, scopes: null,
    createdAt: new Date(NOW), expiresAt: null, revokedAt: null, lastUsedAt: new Date(NOW), ...state,
  };
  const lookedUp: string[] = [];
  const repository = { findKeyByHash: async (hashes: readonly string[]) => {
    lookedUp.push(...hashes);
    return hashes.includes(key.hash) ? key : undefined;
  } } as unknown as AuthRepository;
  const clock = new StillClock(new Date(NOW));
  const auth = new AuthService(repository, new ApiKeyCacheService(repository), CONFIG, clock);
  const connection = {};
  /** As a request is let in: at once where that is possible, else after a look-up. */
  const admit = async (given = secret) => auth.verifyAtOnce(given, connection) ?? (await auth.verify(given));
  return { admit, clock, lookedUp, key };
}

describe('AuthService', () => {
  test('accepts a live key every time and looks it up once a second', async () => {
    const { admit, lookedUp, key } = knowing({});
    for (let i = 0; i < 3; i += 1) expect(await admit()).toMatchObject({ userId: 'user_1', keyId: 'key_1' });
    expect(lookedUp).toEqual([key.hash]);
  });

  test('rejects a revoked key every time, also when it was cached by the request before', async () => {
    const { admit } = knowing({ revokedAt: new Date(NOW - 1) });
    for (let i = 0; i < 3; i += 1) expect(await admit()).toBeUndefined();
  });

  test('rejects an expired key every time', async () => {
    const { admit } = knowing({ expiresAt: new Date(NOW) });
    for (let i = 0; i < 3; i += 1) expect(await admit()).toBeUndefined();
  });

  test('rejects a cached key from the millisecond in which it expires', async () => {
    const { admit, clock } = knowing({ expiresAt: new Date(NOW + 500) });
    expect(await admit()).toBeDefined();
    clock.instant = new Date(NOW + 499);
    expect(await admit()).toBeDefined();
    clock.instant = new Date(NOW + 500);
    expect(await admit()).toBeUndefined();
  });

  test('does not mistake a key for another one that came over the same connection before', async () => {
    const { admit } = knowing({});
    expect(await admit()).toBeDefined();
    expect(await admit(newSecret())).toBeUndefined();
    expect(await admit()).toBeDefined();
  });

  test('rejects an unknown key every time and looks it up once a second, and never looks up a malformed one', async () => {
    const { admit, lookedUp } = knowing({});
    const unknown = newSecret();
    for (let i = 0; i < 3; i += 1) expect(await admit(unknown)).toBeUndefined();
    expect(lookedUp).toHaveLength(1);
    for (let i = 0; i < 3; i += 1) expect(await admit('mcs_nonsense')).toBeUndefined();
    expect(lookedUp).toHaveLength(1);
  });
});
