import { Config } from '../config/config';
import { serverTimeouts } from './server-timeouts';

const DEFAULTS = Config.read({
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
});

describe('serverTimeouts', () => {
  it.each([DEFAULTS.EVAL_TIMEOUT_MS, 1, 2, 9, 10, 999, 2000, 600_000])(
    'ends a late request within 30 s and EVAL_TIMEOUT_MS, here %d ms, the check interval included, and never waits for ever',
    (evalMs) => {
      const { requestTimeout, http } = serverTimeouts({ ...DEFAULTS, EVAL_TIMEOUT_MS: evalMs });
      for (const late of [requestTimeout, http.headersTimeout]) {
        expect(late).toBeGreaterThan(0);
        expect(late + http.connectionsCheckingInterval).toBeLessThanOrEqual(Math.max(2, Math.min(30_000, evalMs)));
      }
    },
  );

  it('is by default 30 s for a request, and closes idle connections later than load balancers do but within 75 s', () => {
    const { keepAliveTimeout, requestTimeout, http } = serverTimeouts(DEFAULTS);
    expect(requestTimeout + http.connectionsCheckingInterval).toBe(30_000);
    expect(keepAliveTimeout).toBeGreaterThan(60_000);
    expect(keepAliveTimeout).toBeLessThanOrEqual(75_000);
  });

  it('allows a reader a longer silence than any compare has', () => {
    expect(serverTimeouts(DEFAULTS).connectionTimeout).toBeGreaterThan(DEFAULTS.EVAL_TIMEOUT_MS);
  });
});
