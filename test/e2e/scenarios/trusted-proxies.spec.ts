import { Api, operator } from '../../support/api';
import { createCaller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const MAX_FAILURES = 3;

const started = new Map<string, ServiceProcess>();
afterAll(async () => {
  for (const service of started.values()) await service.stop();
});

/** The address of the service that trusts these, which serves all tests that need it. */
async function trusting(trusted: string): Promise<string> {
  const service =
    started.get(trusted) ??
    (await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: `${MAX_FAILURES}`,
      TRUST_PROXY: trusted,
    }));
  started.set(trusted, service);
  return service.url;
}

/** The address that the audit log keeps of a change that came with this X-Forwarded-For. */
async function audited(url: string, forwardedFor: string): Promise<string> {
  const created = await operator(url).post(
    '/api/v1/admin/users',
    { email: `${crypto.randomUUID()}@example.com` },
    { headers: { 'x-forwarded-for': forwardedFor } },
  );
  return (await operator(url).get(`/api/v1/admin/audit?target=${created.body.id}`)).body.entries[0].address;
}

/** The answers to requests with a wrong key, each with another X-Forwarded-For. */
async function failures(url: string, forwardedFor: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const address of forwardedFor)
    statuses.push(
      (await new Api('nonsense', url).get('/api/v1/usage', { headers: { 'x-forwarded-for': address } })).status,
    );
  return statuses;
}

describe('The address of a caller', () => {
  it.each([
    ['nobody', undefined, '203.0.113.9, 198.51.100.7', '127.0.0.1'],
    ['one proxy', '1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['two proxies', '2', '203.0.113.9, 198.51.100.7, 192.0.2.1', '198.51.100.7'],
    [
      'a network with our own machine',
      'loopback, 192.0.2.0/24',
      '203.0.113.9, 198.51.100.7, 192.0.2.1',
      '198.51.100.7',
    ],
    ['a network that the request did not come from', '192.0.2.0/24', '203.0.113.9, 198.51.100.7', '127.0.0.1'],
    ['everybody, outside production', 'true', '203.0.113.9, 198.51.100.7', '203.0.113.9'],
  ])(
    'is, with TRUST_PROXY naming %s, the address that a trusted proxy has sent',
    async (_, trusted, forwardedFor, address) => {
      const url = trusted === undefined ? worker().serviceUrl : await trusting(trusted);
      expect(await audited(url, forwardedFor)).toBe(address);
    },
  );

  it.each(['1', 'loopback'])('cannot be forged by the caller with TRUST_PROXY=%s', async (trusted) => {
    const url = await trusting(trusted);
    const invented = (index: number) => `203.0.113.${index}, 198.51.100.7`;
    expect(await failures(url, [1, 2, 3, 4, 5].map(invented))).toEqual([401, 401, 401, 429, 429]);
    // Somebody else is counted apart, and a good key passes.
    expect(await failures(url, ['203.0.113.1, 198.51.100.8'])).toEqual([401]);
    const caller = await createCaller({ at: url });
    expect((await caller.get('/api/v1/usage', { headers: { 'x-forwarded-for': invented(6) } })).status).toBe(200);
  });
});
