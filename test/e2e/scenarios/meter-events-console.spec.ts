import { operator, type Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { admin, adminJson } from '../../support/mcs-admin';
import { changeTried } from '../../support/meter-events';
import { startService } from '../../support/service';
import { startStripeServer, STRIPE_SETTINGS } from '../../support/stripe-server';
import { worker } from '../../support/worker';

const NO_EVENT = `chg_${'0'.repeat(26)}`;
const idOf = (number: number) => `chg_${String(number).padStart(26, '0')}`;
const refusal = (sentence: string, code = 'conflict') => ({
  code: 2,
  out: '',
  errors: expect.stringContaining(`mcs: ${sentence} (${code})\n`) as unknown,
});
const resend = (chargeId: string) => admin(['meter-events', 'resend', chargeId, '--not-received']);

/** Events in the outbox of a service that sends none: how each differs from one of 1.5 dollars that is parked. */
const EVENTS: Record<string, { number: number; columns?: Record<string, string> }> = {
  parked: { number: 901, columns: { last_error: "E'Stripe\\u001b[2J said no.'" } },
  parkedLater: { number: 902 },
  waiting: { number: 903, columns: { next_attempt_at: 'now()' } },
  sent: { number: 904, columns: { sent_at: 'now()' } },
  empty: { number: 905, columns: { nano_usd: '0' } },
  tooOld: { number: 906, columns: { occurred_at: "now() - interval '34 days 1 minute'" } },
};
const chargeOf = (name: string) => idOf(EVENTS[name]?.number ?? 0);

beforeAll(() =>
  onDatabase(worker().databaseUrl, async (client) => {
    for (const { number, columns } of Object.values(EVENTS)) {
      const row = {
        charge_id: `'${idOf(number)}'`,
        user_id: "'user_1'",
        nano_usd: '1500000001',
        occurred_at: "'2099-01-01'",
        attempts: '3',
        uncertain_since: 'now()',
        ...columns,
      };
      await client.query(`insert into meter_events (${Object.keys(row).join()}) values (${Object.values(row).join()})`);
    }
  }),
);

afterAll(() =>
  onDatabase(worker().databaseUrl, (client) =>
    client.query('delete from meter_events where charge_id = any($1)', [Object.keys(EVENTS).map(chargeOf)]),
  ),
);

describe('mcs admin meter-events', () => {
  it('lists parked events page by page, newest first, and those in another state when asked', async () => {
    const all = await adminJson('meter-events', 'list');
    expect(all.events.map(({ charge_id: id }: Json) => id)).toEqual([
      chargeOf('tooOld'),
      chargeOf('parkedLater'),
      chargeOf('parked'),
    ]);
    expect(all.events[2]).toEqual({
      charge_id: chargeOf('parked'),
      user_id: 'user_1',
      state: 'parked',
      amount_usd: 1.500000001,
      occurred_at: '2099-01-01T00:00:00.000Z',
      attempts: 3,
      uncertain_since: expect.any(String),
      next_attempt_at: null,
      sent_at: null,
      last_error: 'Stripe\u001b[2J said no.',
    });
    expect((await adminJson('meter-events', 'list', '-n', '2')).events).toEqual(all.events.slice(0, 2));
    const page = await operator().get('/api/v1/admin/meter-events?limit=2');
    expect(page.body).toEqual({ events: all.events.slice(0, 2), limit: 2 });
    const next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    expect((await operator().get(next)).body).toEqual({ events: all.events.slice(2), limit: 2 });
    for (const state of ['waiting', 'sent', 'empty']) {
      expect((await adminJson('meter-events', 'list', '--state', state)).events).toEqual([
        expect.objectContaining({ charge_id: chargeOf(state), state }),
      ]);
    }
    const inWords = await admin(['meter-events', 'list']);
    expect(inWords.out).toMatch(/^charge_id\tuser_id\tstate\tamount_usd\t.*\nchg_\w+\tuser_1\tparked\t1\.500000001\t/);
    expect(inWords.out).toContain('Stripe␛[2J said no.');
  });

  it('refuses to send again what was sent, waits, adds nothing, is too old or does not exist', async () => {
    expect(await resend(chargeOf('waiting'))).toEqual(
      refusal('This meter event waits to be sent; there is nothing to do.'),
    );
    expect(await resend(chargeOf('sent'))).toEqual(refusal('This meter event was sent.'));
    expect(await resend(chargeOf('empty'))).toEqual(
      refusal('The charge of this meter event adds nothing to the meter, so that there is nothing to send.'),
    );
    expect(await resend(chargeOf('tooOld'))).toEqual(
      refusal('Not sent within 34 days; Stripe takes no older events. Charge it in Stripe by hand.'),
    );
    expect(await resend(NO_EVENT)).toEqual(refusal('There is no meter event of a charge with this id.', 'not_found'));
    expect((await adminJson('meter-events', 'list')).events).toHaveLength(3);
  });

  it('refuses to send again what somebody else is just sending', async () => {
    await onDatabase(worker().databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('update meter_events set sent_at = now() where charge_id = $1', [chargeOf('parkedLater')]);
      const resent = resend(chargeOf('parkedLater'));
      await eventually('it waits', async () =>
        onDatabase(
          worker().databaseUrl,
          async (other) =>
            (
              await other.query(
                `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
              )
            ).rows.length > 0,
        ),
      );
      await client.query('commit');
      expect(await resent).toEqual(refusal('This meter event was sent.'));
    });
  });

  it('refuses to resend an event without --not-received, and rejects unknown arguments', async () => {
    expect(await admin(['meter-events', 'resend', chargeOf('parked')])).toEqual({
      code: 2,
      out: '',
      errors:
        'mcs: Look in Stripe first: an event that arrived would be charged twice. If it did not arrive, repeat the command with --not-received.\n',
    });
    const path = `/api/v1/admin/meter-events/${chargeOf('parked')}/resend`;
    for (const [body, message] of [
      [{}, 'not_received is required.'],
      [{ not_received: false }, 'not_received must be true.'],
    ]) {
      expect((await operator().post(path, body)).body.error).toMatchObject({
        code: 'invalid_request',
        param: 'not_received',
        message,
      });
    }
    expect(await admin(['meter-events', 'list', '--state', 'lost'])).toMatchObject({
      code: 2,
      errors:
        "mcs: option '--state <state>' argument 'lost' is invalid. Allowed choices are parked, waiting, sent, empty.\n",
    });
    expect((await operator().get('/api/v1/admin/meter-events?state=lost')).body.error.message).toBe(
      'state must be one of parked, waiting, sent, empty.',
    );
    expect(await admin(['meter-events', 'resend'])).toMatchObject({
      code: 2,
      errors: "mcs: missing required argument 'charge'\n",
    });
    expect(await admin(['meter-events', 'send'])).toMatchObject({
      code: 2,
      errors: "mcs: unknown command 'send'\n(Did you mean resend?)\n",
    });
    expect((await adminJson('meter-events', 'list')).events).toContainEqual(
      expect.objectContaining({ charge_id: chargeOf('parked'), state: 'parked' }),
    );
  });

  it('has a parked event sent by the running service, counted once, with an entry in the audit log', async () => {
    const stripe = await startStripeServer();
    const databaseUrl = await ownDatabase('meter_console');
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      ...STRIPE_SETTINGS,
      STRIPE_STAND_IN: stripe.url,
    });
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    await caller.post('/api/v1/billing/payment-method');
    const metered = () => stripe.metered(stripe.customerOf(caller.userId));
    stripe.lasting = 'refused';
    await operator(service.url).post(`/api/v1/admin/users/${caller.userId}/adjustments`, {
      amount_usd: 3,
      reason: 'test',
    });
    const rows = (text: string) => onDatabase(databaseUrl, async (client) => (await client.query(text)).rows);
    const chargeId = await onDatabase(databaseUrl, (client) =>
      changeTried(client, caller, "next_attempt_at = null, uncertain_since = now() - interval '2 days'"),
    );
    stripe.lasting = undefined;

    const { out } = await admin(['meter-events', 'resend', chargeId, '--not-received', '--json'], {
      MCS_URL: service.url,
    });
    expect(JSON.parse(out)).toMatchObject({
      charge_id: chargeId,
      state: 'waiting',
      amount_usd: 3,
      uncertain_since: null,
      next_attempt_at: expect.any(String),
    });
    await eventually('it has arrived', () => metered() === 3_000_000_000n);
    await eventually(
      'it is marked as sent',
      async () => (await rows('select 1 from meter_events where sent_at is not null')).length === 1,
    );
    expect((await operator(service.url).get(`/api/v1/admin/audit?target=${chargeId}`)).body.entries).toEqual([
      expect.objectContaining({
        action: 'meter_event.resent',
        target_type: 'meter_event',
        actor: expect.stringMatching(/^admin_/),
        changes: {
          next_attempt_at: { from: null, to: expect.any(String) },
          uncertain_since: { from: expect.any(String), to: null },
        },
      }),
    ]);
    await service.stop();
    await stripe.close();
  });
});
