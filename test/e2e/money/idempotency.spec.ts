import { randomUUID } from 'node:crypto';
import { operator, type Answer, type Json } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, eventually, untilWaitedFor, type Caller } from '../../support/factories';
import { chargedOf, exact, streamedEval, timesOf } from '../../support/ledger';
import { startService } from '../../support/service';
import { vendorLog, vendorScript, type ModelScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const MODELS = ['gpt-5.4-mini', 'claude-haiku-5-5'];
const EVENTS = { accept: 'text/event-stream' };

/** An order that the vendor server plays, and can tell of by its run. */
function anOrder(script: ModelScript = {}) {
  const run = randomUUID();
  return { run, body: { prompt: vendorScript(run, { '*': script }), models: MODELS } };
}

function send(
  caller: Caller,
  key: string,
  body: object,
  headers: Record<string, string> = {},
  query = '',
): Promise<Answer<Json>> {
  return caller.post(`/api/v1/compare${query}`, body, { headers: { 'idempotency-key': key, ...headers } });
}

async function calledModels(run: string): Promise<string[]> {
  return (await vendorLog(worker().vendorUrl, run)).calls.map(({ model }) => model).sort();
}

/** That the user has that one eval, charged once to the last digit. */
async function expectOneCharge(caller: Caller, evalText: string): Promise<void> {
  expect((await caller.usage()).eval_count).toBe(1);
  expect((await caller.get('/api/v1/evals')).body.evals).toHaveLength(1);
  expect(await chargedOf(caller)).toBe(timesOf(exact(evalText).meta.total_cost_usd, 14n, 10n));
}

describe('POST /compare with an Idempotency-Key and the same body again', () => {
  it.each(['', '?include=details'])(
    'returns the first response byte for byte without a vendor call or a second charge (%s)',
    async (query) => {
      const caller = await createCaller({ freeQuota: 0 });
      const { run, body } = anOrder();
      const first = await send(caller, 'order 1', body, {}, query);
      expect(first.status).toBe(200);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      const again = await send(caller, 'order 1', body, {}, query);
      expect(again.status).toBe(200);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.text).toBe(first.text);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(await calledModels(run)).toEqual([...MODELS].sort());
      await expectOneCharge(caller, first.text);
    },
  );

  it('returns the eval at once as SSE, and as JSON when the first request asked for SSE', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { run, body } = anOrder();
    const first = await send(caller, 'events', body, EVENTS);
    expect(first.text).toContain('event: delta');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const events = await send(caller, 'events', body, EVENTS);
    expect(events.headers.get('idempotency-replayed')).toBe('true');
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(events.text).toBe(`id: 1\nevent: eval\ndata: ${streamedEval(first.text)}\n\n`);
    const json = await send(caller, 'events', body);
    expect(json.headers.get('idempotency-replayed')).toBe('true');
    expect(json.text).toBe(streamedEval(first.text));
    expect(await calledModels(run)).toHaveLength(2);
    await expectOneCharge(caller, json.text);
  });

  it('returns an eval in which a model failed, without calling that model again', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const run = randomUUID();
    const body = { prompt: vendorScript(run, { 'gpt-5.4-mini': { fault: 'bad-request' }, '*': {} }), models: MODELS };
    const first = await send(caller, 'half', body);
    expect(first.body.results[0].error.code).toBe('invalid_request');
    expect((await send(caller, 'half', body)).text).toBe(first.text);
    expect(await calledModels(run)).toHaveLength(2);
  });

  it('returns the eval to a client that disconnected from the first one', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { run, body } = anOrder({ delayMs: 3000 });
    const hangUp = new AbortController();
    const lost = caller
      .compare(body, { headers: { 'idempotency-key': 'lost' }, signal: hangUp.signal })
      .catch(() => 'lost');
    await eventually('the vendors are called', async () => (await calledModels(run)).length === 2);
    hangUp.abort();
    expect(await lost).toBe('lost');
    await eventually('the run is over', async () => (await caller.usage()).eval_count === 1);
    const answer = await send(caller, 'lost', body);
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(await calledModels(run)).toHaveLength(2);
    await expectOneCharge(caller, answer.text);
  });

  it('remembers the key for 24 hours', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { run, body } = anOrder();
    const first = await send(caller, 'yesterday', body);
    const madeBefore = (age: string) =>
      onDatabase(worker().databaseUrl, (client) =>
        client.query(`update idempotency_keys set created_at = now() - interval '${age}' where user_id = $1`, [
          caller.userId,
        ]),
      );
    await madeBefore('23 hours 59 minutes');
    expect((await send(caller, 'yesterday', body)).text).toBe(first.text);
    await madeBefore('24 hours 1 minute');
    const anew = await send(caller, 'yesterday', body);
    expect(anew.headers.get('idempotency-replayed')).toBeNull();
    expect(anew.body.eval_id).not.toBe(first.body.eval_id);
    expect(await calledModels(run)).toHaveLength(4);
    expect((await send(caller, 'yesterday', body)).text).toBe(anew.text);
  });

  it('ignores the key of another user', async () => {
    const [one, other] = [await createCaller({ freeQuota: 0 }), await createCaller({ freeQuota: 0 })];
    const { run, body } = anOrder({ delayMs: 200 });
    const [mine, theirs] = await Promise.all([send(one, 'shared', body), send(other, 'shared', body)]);
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.body.eval_id).not.toBe(mine.body.eval_id);
    expect(await calledModels(run)).toHaveLength(4);
    expect((await send(other, 'shared', { ...body, models: ['gpt-5.4-mini'] })).status).toBe(422);
    expect((await send(one, 'shared', body)).text).toBe(mine.text);
    await expectOneCharge(one, mine.text);
    await expectOneCharge(other, theirs.text);
  });

  it('ignores the key that a running eval of another user holds', async () => {
    const [one, other] = [await createCaller({ freeQuota: 0 }), await createCaller({ freeQuota: 0 })];
    const { body } = anOrder();
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(
        `insert into reservations (id, user_id, key_id, month, is_free, max_charge, idempotency_key, expires_at)
      values ($1, $2, $3, '2020-01', false, 0, 'held', now() + interval '1 hour')`,
        [`rsv_${other.userId}`, other.userId, other.keyId],
      ),
    );
    expect([(await send(other, 'held', body)).status, (await send(one, 'held', body)).status]).toEqual([409, 200]);
    await onDatabase(worker().databaseUrl, (client) =>
      client.query('delete from reservations where user_id = $1', [other.userId]),
    );
  });
});

describe('POST /compare with an Idempotency-Key and another body', () => {
  it('answers 422, as JSON and as SSE, and calls and counts nothing', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { run, body } = anOrder();
    const first = await send(caller, 'one', body);
    const others = [
      { ...body, prompt: `${body.prompt} ` },
      { ...body, input: '' },
      { ...body, models: [...MODELS].reverse() },
      { ...body, models: ['gpt-5.4-mini'] },
      { ...body, options: { temperature: 0.8 } },
      { ...body, options: { max_tokens: 499 } },
      { ...body, options: { max_cost_usd: 1 } },
    ];
    for (const other of others) {
      for (const headers of [{}, EVENTS]) {
        const { status, body: refused } = await send(caller, 'one', other, headers);
        expect(status).toBe(422);
        expect(refused.error).toMatchObject({ code: 'idempotency_key_reused', param: 'Idempotency-Key' });
      }
    }
    expect(await calledModels(run)).toHaveLength(2);
    await expectOneCharge(caller, first.text);
  });
});

describe('POST /compare with an Idempotency-Key whose first request still runs', () => {
  it.each([{}, EVENTS])('answers 409 with Retry-After (%j)', async (headers) => {
    const caller = await createCaller({ freeQuota: 0 });
    const { run, body } = anOrder({ delayMs: 3000 });
    const running = send(caller, 'slow', body);
    await eventually('the vendors are called', async () => (await calledModels(run)).length === 2);
    const { status, headers: answered, body: refused } = await send(caller, 'slow', body, headers);
    expect(status).toBe(409);
    expect(refused.error.code).toBe('idempotency_key_in_use');
    expect(Number(answered.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const first = await running;
    expect((await send(caller, 'slow', body)).text).toBe(first.text);
    expect(await calledModels(run)).toHaveLength(2);
    await expectOneCharge(caller, first.text);
  });

  it('runs one of 50 concurrent requests: one eval, one charge, one call per model', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    await expectOneOfFifty(caller, () => caller);
  });

  it('runs one of 50 concurrent requests also over two processes on one database', async () => {
    const service = await startService({ DATABASE_URL: worker().databaseUrl, ...vendorVariables(worker().vendorUrl) });
    try {
      const caller = await createCaller({ freeQuota: 0 });
      const other = caller.at(service.url);
      await expectOneOfFifty(caller, (index) => (index % 2 === 0 ? caller : other));
    } finally {
      await service.stop();
    }
  });

  it('locks the key before the month, as a release does, so that the two never deadlock', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { body } = anOrder();
    // The month has its row.
    await send(caller, 'before', body);
    await onDatabase(worker().databaseUrl, async (ending) => {
      // Another request with the key was slow, so that its reservation has expired, and is ended at this moment.
      await ending.query(
        `insert into reservations (id, user_id, key_id, month, is_free, max_charge, idempotency_key, expires_at)
        select 'rsv_' || user_id, user_id, 'key', month, false, 0, 'crossed', now() from month_totals where user_id = $1`,
        [caller.userId],
      );
      await ending.query('begin');
      await ending.query('delete from reservations where user_id = $1', [caller.userId]);
      const late = send(caller, 'crossed', body);
      await untilWaitedFor(ending);
      await ending.query('set local lock_timeout = 1');
      await ending.query('select 1 from month_totals where user_id = $1 for update', [caller.userId]);
      await ending.query('commit');
      expect((await late).status).toBe(200);
    });
    expect((await caller.usage()).eval_count).toBe(2);
  });
});

async function expectOneOfFifty(caller: Caller, sender: (index: number) => Caller): Promise<void> {
  const { run, body } = anOrder({ delayMs: 300 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => send(sender(index), 'fifty', body, index % 5 === 0 ? EVENTS : {})),
  );
  const good = answers.filter(({ status }) => status === 200);
  const rest = answers.filter(({ status }) => status !== 200);
  expect(rest.map(({ body: refused }) => refused.error.code)).toEqual(
    Array(rest.length).fill('idempotency_key_in_use'),
  );
  expect(good.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
  const texts = good.map(({ text }) => (text.startsWith('id:') ? streamedEval(text) : text));
  expect(new Set(texts).size).toBe(1);
  expect(await calledModels(run)).toEqual([...MODELS].sort());
  await expectOneCharge(caller, texts[0] ?? '');
}

describe('POST /compare with an Idempotency-Key that fails', () => {
  it.each<[string, number, object, object]>([
    ['a malformed body', 400, { temperature: 1 }, {}],
    ['an unknown model', 400, { models: ['nobody'] }, {}],
    ['a cost above max_cost_usd', 402, { options: { max_cost_usd: 0.000001 } }, {}],
    ['a spend limit', 402, {}, { monthlySpendLimitUsd: 0.000001 }],
  ])('does not use up the key because of %s: a valid request with it runs', async (_, status, members, options) => {
    const caller = await createCaller({ freeQuota: 0, ...options });
    const { run, body } = anOrder();
    expect((await send(caller, 'again', { ...body, ...members })).status).toBe(status);
    expect((await send(caller, 'again', { ...body, ...members })).status).toBe(status);
    expect(await calledModels(run)).toEqual([]);
    const good = await send(await aLimitless(caller), 'again', body);
    expect(good.status).toBe(200);
    expect(good.headers.get('idempotency-replayed')).toBeNull();
    expect(await calledModels(run)).toHaveLength(2);
    await expectOneCharge(caller, good.text);
  });

  it('does not use up the key when all models failed: a retry runs at once', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    const { run, body } = anOrder({ fault: 'bad-request', failFirst: 1 });
    for (const headers of [{}, EVENTS]) {
      const key = `all ${JSON.stringify(headers)}`;
      const order = headers === EVENTS ? anOrder({ fault: 'bad-request', failFirst: 1 }) : { run, body };
      const failed = await send(caller, key, order.body, headers);
      expect(failed.text).toContain('all_models_failed');
      const retried = await send(caller, key, order.body);
      expect(retried.status).toBe(200);
      expect(retried.headers.get('idempotency-replayed')).toBeNull();
      expect(await calledModels(order.run)).toHaveLength(4);
    }
    expect((await caller.usage()).eval_count).toBe(2);
  });
});

/** The same user without whatever was in the way. */
async function aLimitless(caller: Caller): Promise<Caller> {
  await operator().patch(`/api/v1/admin/users/${caller.userId}`, { monthly_spend_limit_usd: null });
  return caller;
}

describe('POST /compare with a malformed Idempotency-Key', () => {
  it.each([
    ['', 'empty'],
    ['k'.repeat(256), '256 characters'],
    ['a\tb', 'a tab'],
    ['clé', 'beyond ASCII'],
    ['\u0080\u009f', 'control characters'],
  ])('rejects and names it: %j (%s)', async (key) => {
    const caller = await createCaller();
    for (const headers of [{}, EVENTS]) {
      const { status, body } = await send(caller, key, { prompt: 'Hello', models: ['sim-swift'] }, headers);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'invalid_request', param: 'Idempotency-Key' });
    }
    expect((await caller.usage()).eval_count).toBe(0);
  });

  it('accepts one of 255 visible characters', async () => {
    const caller = await createCaller();
    const key = '!~'.repeat(127) + 'x';
    const order = { prompt: 'Hello', models: ['sim-swift'] };
    const first = await send(caller, key, order);
    expect(first.status).toBe(200);
    expect((await send(caller, key, order)).text).toBe(first.text);
  });
});
