import Stripe from 'stripe';
import { Api, operator, type Answer, type Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { startStripeServer, STRIPE_SETTINGS, type StripeServer } from '../../support/stripe-server';
import { worker } from '../../support/worker';

const PATH = '/api/v1/billing/payment-method';
const WEBHOOK = '/api/v1/billing/webhooks/stripe';
const { webhooks } = new Stripe(STRIPE_SETTINGS.STRIPE_SECRET_KEY);

let stripe: StripeServer;
let service: ServiceProcess;
let databaseUrl: string;
let events = 0;

beforeAll(async () => {
  stripe = await startStripeServer();
  databaseUrl = await ownDatabase('payments');
  service = await startService({
    DATABASE_URL: databaseUrl,
    MIGRATE_ON_START: 'true',
    SIMULATOR: 'on',
    BILLING_ENFORCEMENT: 'require_payment_method',
    LOG_LEVEL: 'info',
    ...STRIPE_SETTINGS,
    STRIPE_STAND_IN: stripe.url,
  });
});

afterAll(async () => {
  await service.stop();
  await stripe.close();
});

afterEach(() => {
  stripe.lasting = undefined;
});

/** A user with a customer at Stripe. */
async function aCustomer(methods: string[] = []): Promise<{ caller: Caller; customer: string }> {
  const caller = await createCaller({ at: service.url, freeQuota: 0 });
  await caller.post(PATH);
  const customer = stripe.customerOf(caller.userId);
  leave(customer, methods);
  return { caller, customer };
}

/** From now on the customer has these payment methods. */
function leave(customer: string, methods: string[]): void {
  const known = stripe.customers.get(customer);
  if (known !== undefined) known.methods = methods;
}

/** An event as Stripe words it. */
function event(type: string, object: object, previous?: object): string {
  events += 1;
  return JSON.stringify(
    {
      id: `evt_${events}`,
      object: 'event',
      api_version: '2026-10-28.endive',
      created: 1_790_000_000,
      livemode: false,
      type,
      data: { object, ...(previous !== undefined && { previous_attributes: previous }) },
    },
    null,
    2,
  );
}

const completed = (customer: string) =>
  event('checkout.session.completed', { object: 'checkout.session', mode: 'setup', customer });
const detached = (customer: string) =>
  event('payment_method.detached', { object: 'payment_method', customer: null }, { customer });

/** Sends an event to the service, signed as Stripe does by default. */
function deliver(
  payload: string,
  signing: { secret?: string; timestamp?: number; header?: string | null; signed?: string } = {},
): Promise<Answer<Json>> {
  const { secret = STRIPE_SETTINGS.STRIPE_WEBHOOK_SECRET, timestamp, signed = payload } = signing;
  const header =
    signing.header === undefined
      ? webhooks.generateTestHeaderString({ payload: signed, secret, ...(timestamp !== undefined && { timestamp }) })
      : signing.header;
  return new Api(undefined, service.url).post(WEBHOOK, payload, {
    headers: header === null ? {} : { 'stripe-signature': header },
  });
}

async function hasPaymentMethod({ userId }: Caller): Promise<boolean> {
  return (await operator(service.url).get(`/api/v1/admin/users/${userId}`)).body.has_payment_method as boolean;
}

describe('A service without a Stripe key', () => {
  it('leaves payment methods to the admin, says so at start and at the endpoint, and has no webhook', async () => {
    const manual = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', LOG_LEVEL: 'info' });
    try {
      expect(manual.output()).toContain('payments are manual');
      const caller = await createCaller({ at: manual.url });
      expect(await caller.post(PATH)).toMatchObject({
        status: 409,
        body: { error: { code: 'payment_provider_not_configured' } },
      });
      expect(await caller.post(WEBHOOK, '{}')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
      await caller.compare({ prompt: 'charged', models: ['sim-sage'] });
      await onDatabase(worker().databaseUrl, async (client) => {
        expect((await client.query('select 1 from meter_events where user_id = $1', [caller.userId])).rowCount).toBe(0);
      });
    } finally {
      await manual.stop();
    }
  });

  it('fails to start with the names of what is missing beside the key', async () => {
    const started = startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      STRIPE_SECRET_KEY: 'sk_test_0123',
    });
    await expect(started).rejects.toThrow(/STRIPE_WEBHOOK_SECRET: is missing[^]*STRIPE_RETURN_URL: is missing/);
    await expect(started).rejects.not.toThrow(/sk_test_0123/);
  });
});

describe('POST /api/v1/billing/payment-method', () => {
  it('returns the address of a Checkout page in setup mode that leads back to the service', async () => {
    expect(service.output()).not.toContain('payments are manual');
    const caller = await createCaller({ at: service.url });
    const { status, body } = await caller.post(PATH);
    expect([status, body]).toEqual([201, { url: expect.stringMatching(/^https:\/\/checkout\.stripe\.example\//) }]);
    expect(stripe.requests.at(-1)).toMatchObject({
      path: '/v1/checkout/sessions',
      fields: {
        mode: 'setup',
        customer: stripe.customerOf(caller.userId),
        client_reference_id: caller.userId,
        success_url: STRIPE_SETTINGS.STRIPE_RETURN_URL,
        cancel_url: STRIPE_SETTINGS.STRIPE_RETURN_URL,
      },
    });
  });

  it('creates one customer for a user, however many requests ask for it at once', async () => {
    const caller = await createCaller({ at: service.url });
    const answers = await Promise.all(Array.from({ length: 8 }, () => caller.post(PATH)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    await caller.post(PATH);
    const customer = stripe.customerOf(caller.userId);
    const made = stripe.requests.filter(
      ({ path, fields }) => path === '/v1/customers' && fields['metadata[user_id]'] === caller.userId,
    );
    expect(made[0]).toMatchObject({ idempotencyKey: caller.userId, fields: { email: caller.email } });
    await onDatabase(databaseUrl, async (client) => {
      expect(
        (await client.query('select stripe_customer_id from payment_customers where user_id = $1', [caller.userId]))
          .rows,
      ).toEqual([{ stripe_customer_id: customer }]);
    });
  });

  it('creates a new customer when Stripe no longer has the old one', async () => {
    const { caller, customer } = await aCustomer();
    stripe.customers.delete(customer);
    expect((await caller.post(PATH)).status).toBe(201);
    expect(stripe.customerOf(caller.userId)).not.toBe(customer);
    expect((await caller.post(PATH)).status).toBe(201);
  });

  it("answers 503 without a word of Stripe's while Stripe is unreachable", async () => {
    const caller = await createCaller({ at: service.url });
    stripe.lasting = 'down';
    const { status, body, headers, text } = await caller.post(PATH);
    expect([status, body.error.code, headers.has('retry-after')]).toEqual([503, 'unavailable', true]);
    expect(text).not.toMatch(/127\.0\.0\.1|sk_test|ECONN/);
    stripe.lasting = undefined;
    expect((await caller.post(PATH)).status).toBe(201);
  });
});

describe('A Stripe webhook', () => {
  it.each(['checkout.session.completed', 'setup_intent.succeeded'])(
    'admits, with the event %s, a user who needed a payment method',
    async (type) => {
      const [{ caller, customer }, other] = [await aCustomer(), await aCustomer(['pm_2'])];
      const asked = { prompt: 'Hello', models: ['sim-sage'] };
      expect(await caller.compare(asked)).toMatchObject({ status: 402, body: { error: { code: 'payment_required' } } });
      leave(customer, ['pm_1']);
      expect(await deliver(event(type, { object: 'any', mode: 'setup', customer }))).toMatchObject({
        status: 200,
        body: { received: true },
      });
      expect((await caller.get('/api/v1/usage')).body.has_payment_method).toBe(true);
      expect((await caller.compare(asked)).status).toBe(200);
      // Nothing was said of the other customer.
      expect(await hasPaymentMethod(other.caller)).toBe(false);
    },
  );

  it.each([
    ['none', { header: null }],
    ['one in another form', { header: 'v1=abc' }],
    ['one by another secret', { secret: 'whsec_of_somebody_else' }],
    ['one over another text', { signed: '{}' }],
    ['one that is ten minutes old', { timestamp: Math.floor(Date.now() / 1000) - 600 }],
  ])('is rejected and changes nothing with a wrong signature: %s', async (_, signing) => {
    const { caller, customer } = await aCustomer(['pm_1']);
    expect(await deliver(completed(customer), signing)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', param: 'Stripe-Signature' } },
    });
    expect(await hasPaymentMethod(caller)).toBe(false);
  });

  it('is verified byte for byte: the signature covers its text, not its meaning', async () => {
    const { caller, customer } = await aCustomer(['pm_1']);
    const payload = `${completed(customer)} \n`;
    expect((await deliver(JSON.stringify(JSON.parse(payload)), { signed: payload })).status).toBe(400);
    expect((await deliver(payload)).status).toBe(200);
    expect(await hasPaymentMethod(caller)).toBe(true);
  });

  it('does nothing again when it is delivered again', async () => {
    const { caller, customer } = await aCustomer(['pm_1']);
    const payload = completed(customer);
    await deliver(payload);
    await operator(service.url).patch(`/api/v1/admin/users/${caller.userId}`, { has_payment_method: false });
    expect((await deliver(payload)).status).toBe(200);
    expect(await hasPaymentMethod(caller)).toBe(false);
    await deliver(completed(customer));
    expect(await hasPaymentMethod(caller)).toBe(true);
  });

  it('takes the payment method from a user only when none remains', async () => {
    const { caller, customer } = await aCustomer(['pm_1', 'pm_2']);
    await deliver(completed(customer));
    leave(customer, ['pm_2']);
    await deliver(detached(customer));
    expect(await hasPaymentMethod(caller)).toBe(true);
    leave(customer, []);
    await deliver(detached(customer));
    expect(await hasPaymentMethod(caller)).toBe(false);
  });

  it('does not undo a newer one when it is late', async () => {
    const { caller, customer } = await aCustomer(['pm_1']);
    const [early, late] = [completed(customer), detached(customer)];
    leave(customer, []);
    await deliver(late);
    await deliver(early);
    expect(await hasPaymentMethod(caller)).toBe(false);
  });

  it.each([
    ['a method that is gone by then', ['pm_1'], []],
    ['no method, when there is one by then', [], ['pm_1']],
  ])(
    'does not overwrite what a later look at Stripe has seen by an earlier look that lasts longer and saw %s',
    async (_, earlier, later) => {
      const { caller, customer } = await aCustomer(earlier);
      const { promise, resolve } = Promise.withResolvers<void>();
      stripe.lookLasts = promise;
      const asked = stripe.requests.length;
      const first = deliver(completed(customer));
      await eventually('the earlier look has begun', () => stripe.requests.length > asked);
      stripe.lookLasts = undefined;
      leave(customer, later);
      expect((await deliver(completed(customer))).status).toBe(200);
      resolve();
      expect((await first).status).toBe(200);
      expect(await hasPaymentMethod(caller)).toBe(later.length > 0);
    },
  );

  it('takes the payment method from a user whose customer was deleted', async () => {
    const { caller, customer } = await aCustomer(['pm_1']);
    await deliver(completed(customer));
    stripe.customers.delete(customer);
    expect((await deliver(event('customer.deleted', { id: customer, object: 'customer' }))).status).toBe(200);
    expect(await hasPaymentMethod(caller)).toBe(false);
  });

  it('is answered 503 while Stripe is unreachable, and works when Stripe sends it again', async () => {
    const { caller, customer } = await aCustomer(['pm_1']);
    const payload = completed(customer);
    stripe.lasting = 'down';
    expect((await deliver(payload)).status).toBe(503);
    stripe.lasting = undefined;
    expect((await deliver(payload)).status).toBe(200);
    expect(await hasPaymentMethod(caller)).toBe(true);
  });

  it.each([
    ['of an unknown type', () => event('invoice.paid', { object: 'invoice' })],
    [
      'of a Checkout that was no setup',
      () => event('checkout.session.completed', { object: 'checkout.session', mode: 'payment', customer: 'cus_1' }),
    ],
    ['about an unknown customer', () => completed('cus_stranger')],
    ['about nobody', () => event('setup_intent.succeeded', { object: 'setup_intent', customer: null })],
  ])('is accepted and changes nothing: one %s', async (_, payload) => {
    const asked = stripe.requests.length;
    expect((await deliver(payload())).status).toBe(200);
    expect(stripe.requests).toHaveLength(asked);
  });
});
