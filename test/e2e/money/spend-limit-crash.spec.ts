import type { Answer, Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { chargedOf, verifyLedger, exact, reservationsOf, units } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';

/** Nearly all of its worst charge of about 0.0427 is used: 2,000 tokens at $15 a million and little input, × 1.4. */
const ORDER = { prompt: '[[sim:length=2000]][[sim:slow=4000]]', models: ['sim-sage'], options: { max_tokens: 2000 } };
/** The same charge without the wait. */
const QUICK = { ...ORDER, prompt: ORDER.prompt.replace('4000', '0001') };

describe('A process that is suspended past the end of its reservations', () => {
  let databaseUrl: string;
  let sleeper: ServiceProcess;
  let other: ServiceProcess;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('limits');
    const variables = {
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RESERVATION_TTL_SECONDS: '5',
      RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
    };
    [sleeper, other] = await Promise.all([startService(variables), startService(variables)]);
  });
  afterAll(async () => {
    await sleeper.stop();
    await other.stop();
  });

  it.each([
    ['a limit', { freeQuota: 0, monthlySpendLimitUsd: 0.06 }, '0.06'],
    ['the free quota', { freeQuota: 1, monthlySpendLimitUsd: 0 }, '0'],
  ])('does not exceed %s when others have used it up meanwhile', async (_, options, most) => {
    const { awake, slept } = await sleepDuring(await createCaller({ at: sleeper.url, ...options }), async (awake) => {
      // The first is rejected, since the reservation still counts.
      expect((await awake.compare(QUICK)).status).toBe(402);
      await expire(awake);
      expect((await awake.compare(QUICK)).status).toBe(200);
    });
    expect(slept.status).toBe(200);
    expect(await chargedOf(awake)).toBe(most);
    const statement = exact((await awake.get('/api/v1/usage/statement')).text);
    expect(statement.total).toMatchObject({ eval_count: '2', charge_usd: most });
    const corrections = statement.lines.filter(({ reason }: { reason: string | null }) => reason !== null);
    expect(corrections).toHaveLength(1);
    expect(units(corrections[0].charge_usd)).toBeLessThan(0n);
    expect(await awake.usage()).toMatchObject({ eval_count: 2, free_evals_remaining: 0 });
    expect(await verifyLedger(databaseUrl)).toEqual({ status: 0, output: expect.any(String) });
  });

  it('still has its free eval on waking when one is left', async () => {
    const { awake, slept } = await sleepDuring(await createCaller({ at: sleeper.url, freeQuota: 2 }), async (awake) => {
      await eventually(
        'the reservation has expired',
        async () => (await reservationsOf(databaseUrl, awake.userId)) === 0,
      );
      // This one also deletes the expired reservation.
      expect((await awake.compare(QUICK)).status).toBe(200);
    });
    expect(slept.status).toBe(200);
    expect(await chargedOf(awake)).toBe('0');
    expect(await awake.usage()).toMatchObject({ eval_count: 2, free_evals_remaining: 0 });
  });

  /** Ends the time of the user's reservations, whose process is suspended and cannot renew them. */
  const expire = ({ userId }: Caller) =>
    onDatabase(databaseUrl, (client) =>
      client.query('update reservations set expires_at = clock_timestamp() where user_id = $1', [userId]),
    );

  /**
   * Suspends the sleeper after its reservation, does something at the other process meanwhile, and resumes the sleeper.
   */
  async function sleepDuring(
    caller: Caller,
    work: (awake: Caller) => Promise<void>,
  ): Promise<{ awake: Caller; slept: Answer<Json> }> {
    const running = caller.compare(ORDER);
    await eventually('the reservation is made', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
    sleeper.child.kill('SIGSTOP');
    const awake = caller.at(other.url);
    await work(awake).finally(() => sleeper.child.kill('SIGCONT'));
    return { awake, slept: await running };
  }
});
