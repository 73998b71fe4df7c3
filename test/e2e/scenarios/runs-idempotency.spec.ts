import { randomUUID } from 'node:crypto';
import { operator } from '../../support/api';
import { onDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { queue, ended } from '../../support/runs';
import { vendorLog } from '../../support/vendor/vendor-log';
import { vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const ORDER = { prompt: 'Hello', models: ['sim-swift', 'sim-quill'] };

const key = (name: string, more: Record<string, string> = {}) => ({ headers: { 'idempotency-key': name, ...more } });

describe('An Idempotency-Key of a run', () => {
  it('stands for the same run, whatever has become of it, and for no other body', async () => {
    const caller = await createCaller();
    const name = randomUUID();
    const first = await queue(caller, ORDER, key(name));
    const second = await queue(caller, ORDER, key(name));
    expect([second.status, second.body.run_id, second.headers.get('idempotency-replayed')]).toEqual([
      202,
      first.body.run_id,
      'true',
    ]);
    await ended(caller, first.body.run_id, 'succeeded');
    const third = await queue(caller, ORDER, key(name));
    expect([third.status, third.body, third.headers.get('retry-after')]).toEqual([
      202,
      { ...first.body, status: 'succeeded' },
      null,
    ]);
    const waited = await queue(caller, ORDER, key(name, { prefer: 'respond-async, wait=5' }));
    expect([waited.status, waited.body.eval_id, waited.headers.get('idempotency-replayed')]).toEqual([
      200,
      first.body.eval_id,
      'true',
    ]);
    const other = await queue(caller, { ...ORDER, prompt: 'Other' }, key(name));
    expect([other.status, other.body.error.code, other.body.error.param]).toEqual([
      422,
      'idempotency_key_reused',
      'Idempotency-Key',
    ]);
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it('stands for nothing of another user', async () => {
    const [one, other] = [await createCaller(), await createCaller()];
    const name = randomUUID();
    const mine = await queue(one, ORDER, key(name));
    expect((await queue(await createCaller(), { ...ORDER, prompt: 'Other' }, key(name))).status).toBe(202);
    const theirs = await queue(other, ORDER, key(name));
    expect([
      theirs.status,
      theirs.headers.get('idempotency-replayed'),
      theirs.body.run_id === mine.body.run_id,
    ]).toEqual([202, null, false]);
    for (const [caller, { body }] of [
      [one, mine],
      [other, theirs],
    ] as const)
      await ended(caller, body.run_id, 'succeeded');
    expect([(await one.usage()).eval_count, (await other.usage()).eval_count]).toEqual([1, 1]);
  });

  it('makes one run of twenty requests at the same instant', async () => {
    const caller = await createCaller();
    const name = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => queue(caller, ORDER, key(name))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
    await ended(caller, answers[0]?.body.run_id, 'succeeded');
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it('is in use for a compare at once until the run has ended, and then replays its eval', async () => {
    const caller = await createCaller();
    const body = { prompt: vendorScript(randomUUID(), { '*': { delayMs: 4000 } }), models: ['gpt-5.4-mini'] };
    const name = randomUUID();
    const { run_id: runId, eval_id: evalId } = (await queue(caller, body, key(name))).body;
    const early = await caller.compare(body, key(name));
    expect([early.status, early.body.error.code, early.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_key_in_use',
      '1',
    ]);
    await ended(caller, runId, 'succeeded');
    const late = await caller.compare(body, key(name));
    expect([late.status, late.body.eval_id, late.headers.get('idempotency-replayed')]).toEqual([200, evalId, 'true']);
    expect((await caller.compare({ ...body, models: ['sim-swift'] }, key(name))).body.error.code).toBe(
      'idempotency_key_reused',
    );
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it('is in use for a run while a compare at once runs with it, whose eval it then stands for', async () => {
    const caller = await createCaller();
    const run = randomUUID();
    const body = { prompt: vendorScript(run, { '*': { delayMs: 4000 } }), models: ['gpt-5.4-mini'] };
    const running = caller.compare(body, key(run));
    await eventually('the vendor is called', async () => (await vendorLog(worker().vendorUrl, run)).calls.length === 1);
    expect((await queue(caller, body, key(run))).body.error.code).toBe('idempotency_key_in_use');
    const { body: stored } = await running;
    const replayed = await queue(caller, body, key(run));
    expect([
      replayed.status,
      replayed.body.eval_id,
      replayed.headers.get('idempotency-replayed'),
      replayed.headers.get('preference-applied'),
    ]).toEqual([200, stored.eval_id, 'true', null]);
    expect((await vendorLog(worker().vendorUrl, run)).calls).toHaveLength(1);
    expect((await caller.get('/api/v1/runs')).body.runs).toEqual([]);
  });

  it('makes one eval of compares at once and runs that come at the same instant', async () => {
    const caller = await createCaller({ freeQuota: 0 });
    for (let round = 0; round < 10; round += 1) {
      const [name, body] = [randomUUID(), { ...ORDER, prompt: `round ${round}` }];
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          index % 2 === 0 ? caller.compare(body, key(name)) : queue(caller, body, key(name)),
        ),
      );
      expect(answers.map(({ status }) => status).filter((status) => ![200, 202, 409].includes(status))).toEqual([]);
      await eventually('it is stored', async () => (await caller.usage()).eval_count === round + 1);
      expect((await caller.compare(body, key(name))).status).toBe(200);
    }
    expect((await caller.usage()).eval_count).toBe(10);
  });

  it.each(['at once', 'in the background'])(
    'can be used again %s when the run has failed, also for another body, and then stands for what that makes',
    async (way) => {
      const caller = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1e-6 });
      const { run_id: failed } = (await queue(caller, ORDER, key('again'))).body;
      await ended(caller, failed, 'failed');
      await operator().patch(`/api/v1/admin/users/${caller.userId}`, { monthly_spend_limit_usd: null });
      const body = { ...ORDER, prompt: way };
      const again =
        way === 'at once' ? await caller.compare(body, key('again')) : await queue(caller, body, key('again'));
      expect([again.headers.get('idempotency-replayed'), again.body.run_id === failed]).toEqual([null, false]);
      if (way === 'in the background') await ended(caller, again.body.run_id, 'succeeded');
      const evalId = again.body.eval_id as string;
      const replays = [await caller.compare(body, key('again')), await queue(caller, body, key('again'))];
      expect(
        replays.map(({ status, body: { eval_id: id }, headers }) => [status, id, headers.get('idempotency-replayed')]),
      ).toEqual([
        [200, evalId, 'true'],
        [way === 'at once' ? 200 : 202, evalId, 'true'],
      ]);
      expect((await caller.usage()).eval_count).toBe(1);
      expect((await caller.get(`/api/v1/runs/${failed}`)).body).toMatchObject({ status: 'failed' });
    },
  );

  it('says in both ways that the eval of its run was erased', async () => {
    const caller = await createCaller();
    const { run_id: runId, eval_id: evalId } = (await queue(caller, ORDER, key('erased'))).body;
    await ended(caller, runId, 'succeeded');
    await caller.delete(`/api/v1/evals/${evalId}`);
    for (const answer of [await caller.compare(ORDER, key('erased')), await queue(caller, ORDER, key('erased'))])
      expect(answer.body.error).toMatchObject({ code: 'eval_erased', param: 'Idempotency-Key' });
  });

  it('makes another run a day later', async () => {
    const caller = await createCaller();
    const { run_id: first } = (await queue(caller, ORDER, key('daily'))).body;
    await ended(caller, first, 'succeeded');
    await onDatabase(worker().databaseUrl, async (client) => {
      await client.query(`update runs set created_at = created_at - interval '25 hours' where id = $1`, [first]);
      await client.query(
        `update idempotency_keys set created_at = created_at - interval '25 hours' where user_id = $1`,
        [caller.userId],
      );
    });
    const { run_id: second } = (await queue(caller, ORDER, key('daily'))).body;
    expect(second).not.toBe(first);
    await ended(caller, second, 'succeeded');
    expect((await caller.usage()).eval_count).toBe(2);
  });
});
