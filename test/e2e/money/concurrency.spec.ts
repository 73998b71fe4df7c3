import { randomUUID } from 'node:crypto';
import type { Answer, Json } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { chargedOf, exact, streamedEval, sumOf, timesOf } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { startVendorGate, type VendorGate } from '../../support/vendor-gate';
import { vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const MODELS = ['gpt-5.4-mini', 'claude-haiku-5-5'];
const MANY = '1000000';
const EVENTS = { headers: { accept: 'text/event-stream' } };

/** An order whose prompt and whose answers say to whom they belong. */
function anOrder() {
  const marker = randomUUID();
  return { marker, body: { prompt: vendorScript(marker, { '*': { text: `for ${marker}` } }), models: MODELS } };
}

type Order = ReturnType<typeof anOrder>;

function expectOwn(evaluation: Json, { marker, body }: Order): void {
  expect(evaluation.prompt).toBe(body.prompt);
  expect(evaluation.results.map(({ output }: { output: string }) => output)).toEqual(MODELS.map(() => `for ${marker}`));
}

const metric = async (caller: Caller, name: string) =>
  Number(new RegExp(`^${name} (\\S+)`, 'm').exec((await caller.get('/metrics')).text)?.[1]);

/**
 * Reads again after 503: reads are refused while the pool of connections is full for a second, which a busy machine
 * makes happen.
 */
async function read(caller: Caller, path: string): Promise<Json> {
  for (;;) {
    const { status, body } = await caller.get(path);
    if (status === 503) continue;
    expect(status).toBe(200);
    return body;
  }
}

/** All evals of a user, oldest page last. */
async function evalIdsOf(caller: Caller): Promise<string[]> {
  const ids: string[] = [];
  for (let more = 100; more === 100;) {
    const page = (await read(caller, `/api/v1/evals?limit=100&offset=${ids.length}`)).evals as { eval_id: string }[];
    ids.push(...page.map(({ eval_id: id }) => id));
    more = page.length;
  }
  return ids;
}

let gate: VendorGate;
beforeAll(async () => {
  gate = await startVendorGate(worker().vendorUrl);
});
afterEach(() => gate.open());
afterAll(() => gate.close());

describe('Concurrent requests', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      MAX_CONCURRENT_COMPARES: MANY,
      MAX_CONCURRENT_COMPARES_PER_KEY: MANY,
      RATE_LIMIT_COMPARE_PER_MINUTE: MANY,
      RATE_LIMIT_READ_PER_MINUTE: MANY,
      // A busy machine is slow to answer all of them, and must refuse none for that.
      MAX_EVENT_LOOP_DELAY_MS: '0',
      DATABASE_TIMEOUT_MS: '60000',
      ...vendorVariables(gate.url),
    });
  });
  afterAll(() => service.stop());

  it('store and charge each of 200 concurrent compares exactly once, and mix none up', async () => {
    const callers = [
      await createCaller({ at: service.url, freeQuota: 0 }),
      await createCaller({ at: service.url, freeQuota: 0 }),
    ] as const;
    const orders = Array.from({ length: 200 }, () => anOrder());
    gate.shut();
    const running = Promise.all(orders.map(({ body }, index) => (callers[index % 2] as Caller).compare(body)));
    await eventually('all of them run', async () => (await metric(callers[0], 'mcs_compares_running')) === 200);
    gate.open();
    const answers = await running;
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
    for (const [index, answer] of answers.entries()) expectOwn(answer.body, orders[index] as Order);
    for (const [turn, caller] of callers.entries()) {
      const own = answers.filter((_, index) => index % 2 === turn);
      expect((await evalIdsOf(caller)).sort()).toEqual(own.map(({ body }) => body.eval_id).sort());
      expect((await caller.usage()).eval_count).toBe(100);
      expect(await chargedOf(caller)).toBe(
        timesOf(sumOf(own.map(({ text }) => exact(text).meta.total_cost_usd as string)), 14n, 10n),
      );
    }
    for (const { marker } of orders) expect((await vendorLog(worker().vendorUrl, marker)).calls).toHaveLength(2);
  });

  it('answer 400 mixed requests of two users without mixing them up', async () => {
    const users = await Promise.all(
      [0, 1].map(async () => {
        const caller = await createCaller({ at: service.url, freeQuota: 0 });
        const order = anOrder();
        return { caller, order, first: (await caller.compare(order.body)).body.eval_id as string };
      }),
    );
    type User = (typeof users)[number];
    type Kind = (user: User, otherUser: User) => Promise<void>;
    const kinds: Kind[] = [
      async ({ caller }) => {
        const order = anOrder();
        expectOwn((await caller.compare(order.body)).body, order);
      },
      async ({ caller }) => {
        const order = anOrder();
        expectOwn(JSON.parse(streamedEval((await caller.compare(order.body, EVENTS)).text)), order);
      },
      async ({ caller, order, first }) => expectOwn(await read(caller, `/api/v1/evals/${first}`), order),
      async ({ caller }, { first }) =>
        expect([404, 503]).toContain((await caller.get(`/api/v1/evals/${first}`)).status),
      async ({ caller, first }, { first: foreign }) => {
        const ids = await evalIdsOf(caller);
        expect(ids).toContain(first);
        expect(ids).not.toContain(foreign);
      },
      async ({ caller }) => expect((await read(caller, '/api/v1/usage')).user_id).toBe(caller.userId),
    ];
    await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const [user, otherUser] = index % 2 === 0 ? users : users.toReversed();
        await (kinds[Math.floor(index / 2) % kinds.length] as Kind)(user as User, otherUser as User);
      }),
    );
  });
});

describe('MAX_CONCURRENT_COMPARES', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      MAX_CONCURRENT_COMPARES: '5',
      ...vendorVariables(gate.url),
    });
  });
  afterAll(() => service.stop());

  it('rejects exactly the compares above it, at once and without a charge, while reads and later compares succeed', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const { body: order } = anOrder();
    gate.shut();
    const inOrder: Answer<Json>[] = [];
    const running = Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const options = { headers: { 'idempotency-key': `order ${index}`, ...(index % 2 === 0 && EVENTS.headers) } };
        const answer = await caller.compare(order, options);
        inOrder.push(answer);
        return { answer, options };
      }),
    );
    // They wait for nothing: while it is shut, only refusals can come.
    await eventually('the others are refused', () => inOrder.length === 15);
    expect(await metric(caller, 'mcs_compares_running')).toBe(5);
    for (const path of ['usage', 'evals', 'models']) expect((await caller.get(`/api/v1/${path}`)).status).toBe(200);
    gate.open();
    const answers = await running;
    expect(inOrder.map(({ status }) => status)).toEqual([
      ...Array<number>(15).fill(503),
      ...Array<number>(5).fill(200),
    ]);
    for (const { headers, body } of inOrder.slice(0, 15)) {
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.get('retry-after')).toBe('1');
      expect(body).toEqual({
        error: {
          code: 'overloaded',
          message:
            'The service is running 5 compares, as many as it takes at once; nothing was run or charged. Try again after Retry-After seconds.',
          request_id: headers.get('x-request-id'),
        },
      });
    }
    expect((await caller.usage()).eval_count).toBe(5);
    expect(await evalIdsOf(caller)).toHaveLength(5);
    // Neither is an Idempotency-Key used up by a refusal.
    const again = answers.find(({ answer }) => answer.status === 503);
    const late = await caller.compare(order, again?.options);
    expect([late.status, late.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect((await caller.usage()).eval_count).toBe(6);
    expect(await metric(caller, 'mcs_compares_running')).toBe(0);
  });
});
