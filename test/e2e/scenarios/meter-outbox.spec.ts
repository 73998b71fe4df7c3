import { Client } from 'pg';
import { Api, operator } from '../../support/api';
import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { changeTried } from '../../support/meter-events';
import { startService, type ServiceProcess } from '../../support/service';
import { startStripeServer, STRIPE_SETTINGS, type StripeServer } from '../../support/stripe-server';

const TIMEOUT_MS = 50_000;
let stripe: StripeServer;
let databaseUrl: string;
let service: ServiceProcess;
let database: Client;

// With this margin charges have digits below a nano-dollar.
const start = () =>
  startService({
    DATABASE_URL: databaseUrl,
    MIGRATE_ON_START: 'true',
    SIMULATOR: 'on',
    BILLING_MARGIN: '0.333333',
    ...STRIPE_SETTINGS,
    STRIPE_STAND_IN: stripe.url,
  });

beforeAll(async () => {
  stripe = await startStripeServer();
  databaseUrl = await ownDatabase('meter');
  service = await start();
  database = new Client({ connectionString: databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database.end();
  await service.stop();
  await stripe.close();
});

afterEach(() => {
  stripe.lasting = undefined;
  stripe.faults.length = 0;
});

async function aCustomer(): Promise<{ caller: Caller; customer: string }> {
  const caller = await createCaller({ at: service.url, freeQuota: 0 });
  await caller.post('/api/v1/billing/payment-method');
  return { caller, customer: stripe.customerOf(caller.userId) };
}

/** Runs that many compares, each of a different length. */
async function compares(caller: Caller, count: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      caller.compare({ prompt: `[[sim:length=${index + 3}]] number ${index}`, models: ['sim-swift'] }),
    ),
  );
  for (const { status, text } of answers) if (status !== 200) throw new Error(text);
}

async function correct({ userId }: Caller, amountUsd: number): Promise<void> {
  const { status, text } = await operator(service.url).post(`/api/v1/admin/users/${userId}/adjustments`, {
    amount_usd: amountUsd,
    reason: 'test',
  });
  if (status !== 201) throw new Error(text);
}

const query = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.query<Row>(text, values)).rows;

/** The user's charge, in whole nano-dollars, rounded down once. */
async function owed({ userId }: Caller): Promise<bigint> {
  const [row] = await query<{ nano: string }>(
    'select floor(sum(charge) * 1000000000)::bigint as nano from charges where user_id = $1',
    userId,
  );
  return BigInt(row?.nano ?? '0');
}

async function waiting({ userId }: Caller): Promise<number> {
  return (await query('select 1 from meter_events where user_id = $1 and next_attempt_at is not null', userId)).length;
}

const allSent = (caller: Caller) =>
  eventually('nothing waits any more', async () => (await waiting(caller)) === 0, TIMEOUT_MS);

/** That every charge of the user was sent and counted once, and all together to the nano-dollar. */
async function expectBilled(caller: Caller, customer: string, charges: number): Promise<void> {
  expect(stripe.metered(customer)).toBe(await owed(caller));
  const text =
    'select id, sent_at, nano_usd, charges.occurred_at from charges left join meter_events on charge_id = id where charges.user_id = $1';
  const rows = await query<{ id: string; sent_at: Date | null; nano_usd: string; occurred_at: Date }>(
    text,
    caller.userId,
  );
  expect(rows).toHaveLength(charges);
  for (const { id, sent_at: sentAt, nano_usd: value, occurred_at: at } of rows) {
    expect(sentAt).not.toBeNull();
    expect(stripe.meterEvents.get(id)).toMatchObject({
      customer,
      value: BigInt(value),
      timestamp: Math.floor(at.getTime() / 1000),
    });
  }
  expect([...stripe.meterEvents.values()].filter((event) => event.customer === customer)).toHaveLength(charges);
}

describe('The charges of a Stripe customer', () => {
  it('reach the meter one by one, and in total to the nano-dollar although each has fractions of one', async () => {
    const { caller, customer } = await aCustomer();
    await compares(caller, 40);
    await allSent(caller);
    await expectBilled(caller, customer, 40);
    const fractions = await query<{ n: string }>(
      'select count(*) as n from charges where user_id = $1 and charge * 1000000000 <> floor(charge * 1000000000)',
      caller.userId,
    );
    expect(Number(fractions[0]?.n)).toBeGreaterThan(10);
    const flooredOneByOne = await query<{ nano: string }>(
      'select sum(floor(charge * 1000000000))::bigint as nano from charges where user_id = $1',
      caller.userId,
    );
    expect(stripe.metered(customer)).toBeGreaterThan(BigInt(flooredOneByOne[0]?.nano ?? '0'));
  });

  it('are sent once each when Stripe refuses, fails after counting, drops connections and does not answer', async () => {
    const { caller, customer } = await aCustomer();
    stripe.faults.push('refused', 'counted, answered 500', 'down', 'down', 'counted, never answered', 'refused');
    await compares(caller, 5);
    await allSent(caller);
    await expectBilled(caller, customer, 5);
    expect(Math.max(...[...stripe.meterEvents.values()].map(({ sent }) => sent))).toBeGreaterThan(1);
  });

  it('are sent once each when the service is killed while it sends them and started again', async () => {
    const { caller, customer } = await aCustomer();
    // Some arrive, then one counts without an answer, and the rest has not been sent.
    stripe.faults.push('counted, never answered');
    await compares(caller, 6);
    await eventually('an answer is waited for', () => stripe.metered(customer) > 0n);
    await service.kill();
    expect(await waiting(caller)).toBeGreaterThan(0);
    service = await start();
    await compares(caller.at(service.url), 2);
    await allSent(caller);
    await expectBilled(caller, customer, 8);
  }, 90_000);

  it('are sent once each by several processes at once', async () => {
    const other = await start();
    try {
      const { caller, customer } = await aCustomer();
      await Promise.all([compares(caller, 30), compares(caller.at(other.url), 30)]);
      await allSent(caller);
      await expectBilled(caller, customer, 60);
    } finally {
      await other.stop();
    }
  });

  it('include those of the month that were made before there was a customer', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    await compares(caller, 7);
    await correct(caller, -1);
    await correct(caller, 1.0000000005);
    // While further ones come in.
    await Promise.all([
      caller.post('/api/v1/billing/payment-method'),
      compares(caller, 10),
      correct(caller, 0.0100000003),
    ]);
    await allSent(caller);
    const customer = stripe.customerOf(caller.userId);
    expect(stripe.metered(customer)).toBe(await owed(caller));
    expect(
      await query(
        'select 1 from charges left join meter_events on charge_id = id where charges.user_id = $1 and charge_id is null',
        caller.userId,
      ),
    ).toHaveLength(0);
  });

  it('are those of the month in which the user became a customer and of later months, not those of earlier ones', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const earlier = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 15)).toISOString();
    await query(
      `insert into charges (id, user_id, eval_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
      values ($1, $2, null, $3, '{}', 0, 0, 0, 0, 7, false, 'test', $4, $4)`,
      `chg_0000${caller.userId}`,
      caller.userId,
      earlier.slice(0, 7),
      earlier,
    );
    await compares(caller, 2);
    await caller.post('/api/v1/billing/payment-method');
    await allSent(caller);
    const [row] = await query<{ nano: string }>(
      'select floor(sum(charge) * 1000000000)::bigint as nano from charges where user_id = $1 and month <> $2',
      caller.userId,
      earlier.slice(0, 7),
    );
    expect(stripe.metered(stripe.customerOf(caller.userId))).toBe(BigInt(row?.nano ?? '0'));
    expect(await query('select 1 from meter_events where charge_id = $1', `chg_0000${caller.userId}`)).toHaveLength(0);
  });

  it('include an event that is being written while the user becomes a customer', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const month = new Date().toISOString().slice(0, 7);
    const writer = new Client({ connectionString: databaseUrl });
    await writer.connect();
    try {
      await writer.query('begin');
      // Found no customer, and is not committed yet.
      await writer.query(
        `insert into charges (id, user_id, eval_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
        values ($1, $2, null, $3, '{}', 0, 0, 0, 0, 7, false, 'test', now(), now())`,
        [`chg_0000${caller.userId}`, caller.userId, month],
      );
      const becoming = caller.post('/api/v1/billing/payment-method');
      await eventually(
        'becoming a customer waits for it',
        async () =>
          (
            await query(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).length > 0,
      );
      await writer.query('commit');
      expect((await becoming).status).toBe(201);
    } finally {
      await writer.end();
    }
    await allSent(caller);
    expect(stripe.metered(stripe.customerOf(caller.userId))).toBe(7_000_000_000n);
  });

  it('are never negative: a credit is used up by the charges that follow', async () => {
    const { caller, customer } = await aCustomer();
    await correct(caller, 3);
    await correct(caller, -2);
    await correct(caller, 0.5);
    await allSent(caller);
    expect(stripe.metered(customer)).toBe(3_000_000_000n);
    await correct(caller, 4);
    await allSent(caller);
    expect(stripe.metered(customer)).toBe(5_500_000_000n);
    expect(stripe.metered(customer)).toBe(await owed(caller));
    // An event that adds nothing is not sent.
    expect(
      [...stripe.meterEvents.values()].filter((event) => event.customer === customer).map(({ value }) => value),
    ).toEqual([3_000_000_000n, 2_500_000_000n]);
  });

  it('are not metered when they are free', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 5 });
    await caller.post('/api/v1/billing/payment-method');
    await compares(caller, 5);
    expect(await query('select 1 from meter_events where user_id = $1', caller.userId)).toHaveLength(0);
  });
});

describe('A meter event', () => {
  const dueIn = (caller: Caller) =>
    query<{ seconds: number }>(
      'select extract(epoch from next_attempt_at - clock_timestamp())::float as seconds from meter_events where user_id = $1 and sent_at is null',
      caller.userId,
    );

  it('is claimed by the process that sends it for longer than sending it can take', async () => {
    const { caller } = await aCustomer();
    stripe.lasting = 'counted, never answered';
    const before = stripe.requests.length;
    await compares(caller, 1);
    await eventually('it is being sent', () => stripe.requests.length > before);
    const [event] = await dueIn(caller);
    expect(event?.seconds).toBeGreaterThan(10);
    expect(event?.seconds).toBeLessThanOrEqual(20);
    stripe.lasting = undefined;
    await allSent(caller);
  });

  it('is skipped, without delay to the others, while another process is just claiming it', async () => {
    const [{ caller }, other] = [await aCustomer(), await aCustomer()];
    stripe.lasting = 'refused';
    await compares(caller, 1);
    const claimant = new Client({ connectionString: databaseUrl });
    await claimant.connect();
    try {
      await claimant.query('begin');
      // Committed only later: for everybody else it is due.
      await changeTried(claimant, caller, "next_attempt_at = clock_timestamp() + interval '1 hour'");
      stripe.lasting = undefined;
      await compares(other.caller, 1);
      await allSent(other.caller);
      await claimant.query('commit');
    } finally {
      await claimant.end();
    }
    // A whole look later it still belongs to its claimant.
    await compares(other.caller, 1);
    await allSent(other.caller);
    expect(stripe.metered(stripe.customerOf(caller.userId))).toBe(0n);
    expect((await dueIn(caller))[0]?.seconds).toBeGreaterThan(3000);
    await query('update meter_events set next_attempt_at = clock_timestamp() where user_id = $1', caller.userId);
    await allSent(caller);
    await expectBilled(caller, stripe.customerOf(caller.userId), 1);
  });

  it.each([
    [
      'too old for Stripe',
      "occurred_at = now() - interval '34 days 1 minute', next_attempt_at = now()",
      'Not sent within 34 days',
    ],
    [
      'that may have arrived so long ago that Stripe could have forgotten it',
      "uncertain_since = now() - interval '23 hours 1 minute', next_attempt_at = now()",
      'charge it twice',
    ],
  ])('is dead-lettered, with a line in the log: one %s', async (_, change, words) => {
    const { caller, customer } = await aCustomer();
    stripe.lasting = 'counted, answered 500';
    await compares(caller, 1);
    const chargeId = await changeTried(database, caller, change);
    stripe.lasting = undefined;
    const sent = () => stripe.meterEvents.get(chargeId)?.sent;
    const before = sent();
    await allSent(caller);
    expect(await query('select sent_at, last_error from meter_events where user_id = $1', caller.userId)).toEqual([
      { sent_at: null, last_error: expect.stringContaining(words) },
    ]);
    await eventually('the log says so', () =>
      new RegExp(`"level":"error".*${chargeId} is parked`).test(service.output()),
    );
    expect(sent()).toBe(before);
    expect(stripe.metered(customer)).toBeGreaterThan(0n);
  });

  it('is counted by every process: waiting events with the age of the oldest, and parked events', async () => {
    const gauges = async ({ url }: ServiceProcess) =>
      Object.fromEntries(
        [
          ...(await new Api(undefined, url).get('/metrics')).text.matchAll(
            /^mcs_meter_events(?:_oldest_(seconds)|\{state="(\w+)"\}) (\S+)$/gm,
          ),
        ].map(([, seconds, state = seconds, value]) => [state, Number(value)]),
      );
    const parked = (
      await query(
        'select 1 from meter_events where sent_at is null and next_attempt_at is null and last_error is not null',
      )
    ).length;
    expect(parked).toBeGreaterThan(0);
    // The process that has parked them knows of them at once.
    expect(await gauges(service)).toMatchObject({ parked });
    const { caller } = await aCustomer();
    stripe.lasting = 'refused';
    await compares(caller, 3);
    await query("update meter_events set occurred_at = now() - interval '2 hours' where user_id = $1", caller.userId);
    const other = await start();
    try {
      await eventually('both are counted', async () => Object.keys(await gauges(other)).length === 3);
      const { waiting: count, parked: alsoParked, seconds } = await gauges(other);
      expect([count, alsoParked]).toEqual([3, parked]);
      expect(seconds).toBeGreaterThan(7190);
    } finally {
      await other.stop();
      stripe.lasting = undefined;
    }
    await allSent(caller);
  });

  it.each([
    ['refused', '429', null],
    ['down', 'Connection', expect.any(Date)],
  ] as const)(
    'is sent whenever Stripe accepts it, and until then knows since when it may have arrived: first %s, then refused',
    async (fault, words, since) => {
      const { caller, customer } = await aCustomer();
      const triedWith = (error: string) =>
        eventually(
          'it was tried',
          async () =>
            (
              await query(
                'select 1 from meter_events where user_id = $1 and last_error like $2',
                caller.userId,
                `%${error}%`,
              )
            ).length === 1,
        );
      const uncertain = () =>
        query<{ uncertain_since: Date | null }>(
          'select uncertain_since from meter_events where user_id = $1',
          caller.userId,
        );
      stripe.lasting = fault;
      await compares(caller, 1);
      await triedWith(words);
      const first = await uncertain();
      expect(first).toEqual([{ uncertain_since: since }]);
      stripe.lasting = 'refused';
      await triedWith('429');
      expect(await uncertain()).toEqual(first);
      stripe.lasting = undefined;
      await allSent(caller);
      await expectBilled(caller, customer, 1);
    },
  );
});
