import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import type { Variables } from '../../platform/config/process-environment';
import { ApiKeyCacheService } from './api-key-cache.service';
import type { ApiKey } from './api-key.entity';
import { hashOf, newSecret } from './api-key.format';
import type { AuthRepository } from './auth.repository';
import { AuthService } from './auth.service';

const CONFIG_VARIABLES = {
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'admin-key-0123456789',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
};
const NOW = Date.parse('2026-11-21T10:00:00.000Z');

/** A stopped clock whose instant the test can change. */
class FixedClock extends Clock {
  constructor(public instant: Date) {
    super();
  }

  override now(): Date {
    return this.instant;
  }
}

/** A service with one stored key in that state; its use was recorded just now, so that nothing is written. */
function serviceWithKey(state: Partial<ApiKey>, variables: Variables = CONFIG_VARIABLES) {
  const config = Config.read(variables);
  const secret = newSecret();
  const user = {
    id: 'user_1',
    email: 'a@example.com',
    freeQuota: null,
    hasPaymentMethod: false,
    monthlySpendLimit: null,
    createdAt: new Date(NOW),
  };
  const key: ApiKey = {
    id: 'key_1',
    user,
    name: 'one',
    prefix: 'mcs_',
    hash: hashOf(secret, config.API_KEY_PEPPER),
    monthlySpendLimit: null,
    allowedModels: null,
    scopes: null,
    createdAt: new Date(NOW),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: new Date(NOW),
    ...state,
  };
  const lookups: string[] = [];
  const rehashed: { id: string; from: string; to: string }[] = [];
  const repository = {
    findKeyByHash: async (hashes: readonly string[]) => {
      lookups.push(...hashes);
      return hashes.includes(key.hash) ? key : undefined;
    },
    rehashKey: async (id: string, from: string, to: string) => void rehashed.push({ id, from, to }),
  } as unknown as AuthRepository;
  const clock = new FixedClock(new Date(NOW));
  const auth = new AuthService(repository, new ApiKeyCacheService(repository), config, clock);
  const authenticate = (given = secret) => auth.authenticate(given);
  return { auth, authenticate, clock, lookups, key, rehashed };
}

describe('AuthService.authenticate', () => {
  test('returns the caller of a live key every time and looks the key up once a second', async () => {
    const { authenticate, lookups, key } = serviceWithKey({});
    for (let i = 0; i < 3; i += 1) expect(await authenticate()).toMatchObject({ userId: 'user_1', keyId: 'key_1' });
    expect(lookups).toEqual([key.hash]);
  });

  test('refuses a revoked key every time, also from the cache', async () => {
    const { authenticate } = serviceWithKey({ revokedAt: new Date(NOW - 1) });
    for (let i = 0; i < 3; i += 1) expect(await authenticate()).toBeUndefined();
  });

  test('refuses an expired key every time', async () => {
    const { authenticate } = serviceWithKey({ expiresAt: new Date(NOW) });
    for (let i = 0; i < 3; i += 1) expect(await authenticate()).toBeUndefined();
  });

  test('refuses a cached key from the millisecond in which it expires', async () => {
    const { authenticate, clock } = serviceWithKey({ expiresAt: new Date(NOW + 500) });
    expect(await authenticate()).toBeDefined();
    clock.instant = new Date(NOW + 499);
    expect(await authenticate()).toBeDefined();
    clock.instant = new Date(NOW + 500);
    expect(await authenticate()).toBeUndefined();
  });

  test('does not mistake one key for another', async () => {
    const { authenticate } = serviceWithKey({});
    expect(await authenticate()).toBeDefined();
    expect(await authenticate(newSecret())).toBeUndefined();
    expect(await authenticate()).toBeDefined();
  });

  test('refuses an unknown key every time, looks it up once a second, and never looks up a malformed one', async () => {
    const { authenticate, lookups } = serviceWithKey({});
    const unknown = newSecret();
    for (let i = 0; i < 3; i += 1) expect(await authenticate(unknown)).toBeUndefined();
    expect(lookups).toHaveLength(1);
    for (let i = 0; i < 3; i += 1) expect(await authenticate('mcs_nonsense')).toBeUndefined();
    expect(lookups).toHaveLength(1);
  });
});

describe('AuthService.authenticate during a change of pepper', () => {
  test('accepts a key of the previous pepper, and rehashes it with the current pepper once', async () => {
    const secret = newSecret();
    const previous = 'previous-0123456789abcdef';
    const { authenticate, key, rehashed } = serviceWithKey(
      { hash: hashOf(secret, previous) },
      { ...CONFIG_VARIABLES, API_KEY_PEPPER_PREVIOUS: previous },
    );
    for (let i = 0; i < 3; i += 1) expect(await authenticate(secret)).toMatchObject({ keyId: 'key_1' });
    expect(rehashed).toEqual([
      { id: 'key_1', from: hashOf(secret, previous), to: hashOf(secret, CONFIG_VARIABLES.API_KEY_PEPPER) },
    ]);
    expect(key.hash).toBe(hashOf(secret, CONFIG_VARIABLES.API_KEY_PEPPER));
  });
});

describe('AuthService.isAdminKey', () => {
  const key = CONFIG_VARIABLES.ADMIN_API_KEY;

  test.each([
    ['itself', key, true],
    ['another last character', `${key.slice(0, -1)}x`, false],
    ['its last character missing', key.slice(0, -1), false],
    ['its first 16 characters', key.slice(0, 16), false],
    ['its first 16 characters and others', `${key.slice(0, 16)}xxxx`, false],
    ['one character more', `${key}x`, false],
    ['another first character', `x${key.slice(1)}`, false],
    ['other capitals', key.toUpperCase(), false],
  ])('takes the whole admin key and nothing else: %s', (_, given, isTaken) => {
    expect(serviceWithKey({}).auth.isAdminKey(given)).toBe(isTaken);
  });
});
