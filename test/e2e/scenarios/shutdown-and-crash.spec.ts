import { connect } from 'node:net';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { startService } from '../../support/service';
import { startVendorGate } from '../../support/vendor-gate';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const LEASE_SECONDS = 4;

async function variables(): Promise<Record<string, string>> {
  const DATABASE_URL = await ownDatabase('crash');
  return { DATABASE_URL, MIGRATE_ON_START: 'true', SIMULATOR: 'on', RESERVATION_TTL_SECONDS: `${LEASE_SECONDS}` };
}

const reservations = (url: string | undefined) =>
  onDatabase(url ?? '', async (client) =>
    Number((await client.query<{ count: string }>('select count(*) from reservations')).rows[0]?.count),
  );

describe('The service', () => {
  it('answers and stores the ten running compares when it is asked to stop', async () => {
    const settings = await variables();
    const service = await startService(settings);
    const caller = await createCaller({ at: service.url });
    const running = Array.from({ length: 10 }, () =>
      caller.compare({ prompt: '[[sim:slow=6000]]', models: ['sim-swift', 'sim-quill'] }),
    );
    await eventually('all ten are running', async () => (await reservations(settings['DATABASE_URL'])) === 10);
    const stopped = service.stop();
    const answers = await Promise.all(running);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await stopped).toBe(0);
    await onDatabase(settings['DATABASE_URL'] ?? '', async (client) => {
      expect((await client.query('select 1 from evals')).rowCount).toBe(10);
    });
  });

  it('waits, when it is asked to stop, for no connection without a pending response', async () => {
    const service = await startService(await variables());
    const caller = await createCaller({ at: service.url });
    const { hostname, port } = new URL(service.url);
    const [unused, halfAsked] = [connect(Number(port), hostname), connect(Number(port), hostname)];
    for (const socket of [unused, halfAsked]) socket.on('error', () => undefined);
    halfAsked.write('GET /api/v1/models HTTP/1.1\r\nHost: here\r\n');
    // A stream began before the stop, so its response could not announce the end of its connection.
    const response = await fetch(`${service.url}/api/v1/compare`, {
      method: 'POST',
      body: JSON.stringify({ prompt: '[[sim:slow=800]]', models: ['sim-swift'] }),
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
    });
    const begun = performance.now();
    const stopped = service.stop();
    expect(await response.text()).toContain('event: eval\n');
    expect(await stopped).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    for (const socket of [unused, halfAsked]) socket.destroy();
  });

  it('finishes and stores, when it is asked to stop, the runs whose clients have disconnected', async () => {
    const gate = await startVendorGate(worker().vendorUrl);
    const settings = { ...(await variables()), ...vendorVariables(gate.url) };
    const service = await startService(settings);
    const caller = await createCaller({ at: service.url });
    const order = { prompt: 'Hello', models: ['gpt-6-luna'] };
    gate.shut();
    const hangUp = new AbortController();
    const left = [{ accept: 'application/json' }, { accept: 'text/event-stream' }].map((headers) =>
      caller.compare(order, { headers, signal: hangUp.signal }).catch(() => 'gone'),
    );
    await eventually('both run', async () => (await reservations(settings['DATABASE_URL'])) === 2);
    hangUp.abort();
    expect(await Promise.all(left)).toEqual(['gone', 'gone']);
    const stopped = service.stop();
    // Of a model that there is not, so that one which is asked for before the signal has come is refused and does not
    // run.
    await eventually(
      'it begins nothing more',
      async () =>
        (await caller.compare({ ...order, models: ['no-model'] })).body.error?.message === 'The service is stopping.',
    );
    // It goes on being there for as long as they run.
    for (let looks = 0; looks < 100; looks += 1) expect((await caller.get('/health/live')).status).toBe(200);
    gate.open();
    expect(await stopped).toBe(0);
    await gate.close();
    await onDatabase(settings['DATABASE_URL'] ?? '', async (client) => {
      expect((await client.query('select 1 from evals')).rowCount).toBe(2);
      expect((await client.query('select 1 from charges')).rowCount).toBe(2);
    });
    expect(await reservations(settings['DATABASE_URL'])).toBe(0);
  });

  it('loses no acknowledged eval and keeps no partial one when it is killed in the middle of 20 compares, and its free evals come back', async () => {
    const settings = await variables();
    const service = await startService(settings);
    const caller = await createCaller({ at: service.url, freeQuota: 22 });
    const acknowledged = (await caller.compare({ prompt: 'before', models: ['sim-swift'] })).body.eval_id as string;
    const lost = Array.from({ length: 20 }, () =>
      caller.compare({ prompt: '[[sim:slow=60000]]', models: ['sim-swift', 'sim-quill'] }).catch(() => undefined),
    );
    await eventually('20 reservations are made', async () => (await reservations(settings['DATABASE_URL'])) === 20);
    await service.kill();
    await Promise.all(lost);
    // Of reservations that expire after its start, the next process releases the needed ones at once, and the others a
    // minute later.
    await onDatabase(settings['DATABASE_URL'] ?? '', async (client) => {
      await eventually(
        'the reservations have expired',
        async () =>
          (await client.query('select 1 from reservations where expires_at > clock_timestamp()')).rowCount === 0,
      );
    });

    const next = await startService(settings);
    try {
      const back = caller.at(next.url);
      expect(
        (await back.get('/api/v1/evals')).body.evals.map((summary: { eval_id: string }) => summary.eval_id),
      ).toEqual([acknowledged]);
      expect(await back.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 21 });
      // The last free eval that was not held, and one more that was.
      for (const remaining of [20, 19]) {
        await back.compare({ prompt: 'after', models: ['sim-swift'] });
        expect(await back.usage()).toMatchObject({ free_evals_remaining: remaining });
      }
      await eventually('no reservation is left', async () => (await reservations(settings['DATABASE_URL'])) === 0);
    } finally {
      await next.stop();
    }
  });

  it('renews its reservations while an eval runs longer than they last', async () => {
    const settings = await variables();
    const service = await startService(settings);
    try {
      const caller = await createCaller({ at: service.url, freeQuota: 1 });
      const long = caller.compare({ prompt: `[[sim:slow=${LEASE_SECONDS * 2000}]]`, models: ['sim-swift'] });
      await eventually('the reservation is made', async () => (await reservations(settings['DATABASE_URL'])) === 1);
      await onDatabase(settings['DATABASE_URL'] ?? '', async (client) => {
        const { rows } = await client.query<{ expires_at: Date }>('select expires_at from reservations');
        // Of a process that was killed meanwhile. The living one must not renew it.
        await client.query(
          `insert into reservations (id, user_id, key_id, month, is_free, max_charge, expires_at) select 'rsv_of_a_dead_process', user_id, key_id, month, false, 0, clock_timestamp() + interval '${LEASE_SECONDS} seconds' from reservations`,
        );
        const {
          rows: [dead],
        } = await client.query<{ expires_at: Date }>(
          "select expires_at from reservations where id = 'rsv_of_a_dead_process'",
        );
        await eventually(
          'it was renewed',
          async () =>
            ((await client.query<{ expires_at: Date }>('select expires_at from reservations where is_free')).rows[0]
              ?.expires_at ?? new Date(0)) > (rows[0]?.expires_at ?? new Date(0)),
        );
        const { rows: later } = await client.query<{ expires_at: Date }>(
          "select expires_at from reservations where id = 'rsv_of_a_dead_process'",
        );
        expect(later.every(({ expires_at: at }) => at.getTime() === dead?.expires_at.getTime())).toBe(true);
      });
      // Another eval cannot have the one free eval that is reserved already.
      await caller.compare({ prompt: 'meanwhile', models: ['sim-swift'] });
      expect((await caller.usage()).total_charge_usd).toBeGreaterThan(0);
      await long;
      expect(await caller.usage()).toMatchObject({ eval_count: 2, free_evals_remaining: 0 });
    } finally {
      await service.stop();
    }
  });
});
