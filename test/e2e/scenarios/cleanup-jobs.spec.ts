import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { startStripeServer, STRIPE_SETTINGS, type StripeServer } from '../../support/stripe-server';

const BORN = '2031-03-01T00:00:00.000Z';
// The services' clocks run on from where they start, so unexpired rows have minutes left.
const ALMOST_A_DAY_LATER = '2031-03-01T23:55:00.000Z';
const A_DAY_LATER = '2031-03-02T00:05:00.000Z';
const MANY = 2500;

describe('The cleanup of expired rows', () => {
  let databaseUrl: string;
  let stripe: StripeServer;
  let caller: Caller;
  let first: string;
  const services: ServiceProcess[] = [];
  const order = { prompt: 'stored for a day', models: ['sim-swift'] };
  const key = { headers: { 'idempotency-key': 'daily' } };

  async function startAt(clock: string, more: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      TEST_CLOCK: clock,
      ...more,
    });
    services.push(service);
    return service;
  }
  const withStripe = () => ({ ...STRIPE_SETTINGS, STRIPE_STAND_IN: stripe.url });
  const countOf = (table: string, where = 'true') =>
    onDatabase(databaseUrl, async (client) =>
      Number((await client.query<{ count: string }>(`select count(*) from ${table} where ${where}`)).rows[0]?.count),
    );

  beforeAll(async () => {
    databaseUrl = await ownDatabase('purges');
    stripe = await startStripeServer();
    const service = await startAt(BORN);
    caller = await createCaller({ at: service.url, freeQuota: 0 });
    first = (await caller.compare(order, key)).body.eval_id;
    // More than two batches hold, of an age that is over in each test but the first.
    await onDatabase(databaseUrl, async (client) => {
      await client.query(
        `insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at) select $1, 'old ' || n, 'f', 'eval_x', '${BORN}' from generate_series(1, ${MANY}) n`,
        [caller.userId],
      );
      await client.query(
        `insert into stripe_events (id, received_at) select 'evt_old_' || n, timestamptz '${A_DAY_LATER}' - interval '30 days 1 minute' from generate_series(1, ${MANY}) n`,
      );
      await client.query(
        `insert into stripe_events (id, received_at) select 'evt_young_' || n, timestamptz '${A_DAY_LATER}' - interval '29 days 23 hours' from generate_series(1, 3) n`,
      );
    });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await stripe.close();
  });

  it('keeps an Idempotency-Key for a day', async () => {
    const service = await startAt(ALMOST_A_DAY_LATER);
    const answer = await caller.at(service.url).compare(order, key);
    expect([answer.headers.get('idempotency-replayed'), answer.body.eval_id]).toEqual(['true', first]);
    // A stop waits for the look that is under way.
    await service.stop();
    expect(await countOf('idempotency_keys')).toBe(MANY + 1);
  });

  it('deletes expired rows with several replicas at once, and nothing younger', async () => {
    await onDatabase(databaseUrl, (client) =>
      client.query(
        `insert into idempotency_keys (user_id, key, fingerprint, eval_id, created_at) values ($1, 'young', 'f', 'eval_x', timestamptz '${A_DAY_LATER}' - interval '23 hours')`,
        [caller.userId],
      ),
    );
    const replicas = await Promise.all([startAt(A_DAY_LATER, withStripe()), startAt(A_DAY_LATER, withStripe())]);
    await eventually('the old keys are gone', async () => (await countOf('idempotency_keys')) === 1);
    expect(await countOf('idempotency_keys', `key = 'young'`)).toBe(1);
    await eventually('the old events are gone', async () => (await countOf('stripe_events')) === 3);
    expect(await countOf('stripe_events', `id like 'evt_young_%'`)).toBe(3);
    for (const replica of replicas) expect(replica.output()).not.toMatch(/could not be deleted/);
    // The eval and its charge are what they were; only the key is free again.
    const after = caller.at(replicas[0].url);
    expect((await after.get(`/api/v1/evals/${first}`)).status).toBe(200);
    const anew = await after.compare(order, key);
    expect([anew.status, anew.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect(anew.body.eval_id).not.toBe(first);
    expect((await after.usage()).eval_count).toBe(2);
  });

  it('logs a warning and continues when the database refuses to delete', async () => {
    await onDatabase(databaseUrl, async (client) => {
      await client.query('alter table idempotency_keys rename to hidden');
      try {
        const service = await startAt(A_DAY_LATER);
        await eventually('it was logged', () => /Idempotency-Keys could not be deleted now/.test(service.output()));
        expect((await caller.at(service.url).get('/api/v1/usage')).status).toBe(200);
        expect(await service.stop()).toBe(0);
      } finally {
        await client.query('alter table hidden rename to idempotency_keys');
      }
    });
  });
});
