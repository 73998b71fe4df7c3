import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { ActiveReservationsService } from './active-reservations.service';
import type { ReservationsRepository } from './reservations.repository';

const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
  RESERVATION_TTL_SECONDS: '15',
});

/** Reservations under a stopped clock, and a database that answers after `tookMs` or not at all. */
function reservations() {
  const database = { nowMs: 0, tookMs: 0, isDown: false, renewed: [] as (readonly string[])[] };
  const renew = async (ids: readonly string[]) => {
    database.nowMs += database.tookMs;
    if (database.isDown) throw new Error('down');
    database.renewed.push(ids);
  };
  const metrics = new Metrics();
  const clock = Object.assign(new Clock(), { monotonicMs: () => database.nowMs });
  const active = new ActiveReservationsService({ renew } as unknown as ReservationsRepository, clock, metrics, CONFIG);
  const value = async (name: string) => (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value;
  return {
    database,
    active,
    open: () => value('mcs_reservations_open'),
    late: () => value('mcs_reservations_renewed_late_total'),
  };
}

describe('ActiveReservationsService', () => {
  test('returns the number of held reservations, and ends each once', async () => {
    const { active, open } = reservations();
    active.add('one');
    active.add('two');
    expect(await open()).toBe(2);
    expect([active.end('one'), active.end('one'), active.end('never made')]).toEqual([true, false, false]);
    expect(await open()).toBe(1);
  });

  test('renews the held reservations, and runs no statement if there are none', async () => {
    const { active, database } = reservations();
    await active.renew();
    active.add('one');
    active.add('two');
    active.end('one');
    await active.renew();
    expect(database.renewed).toEqual([['two']]);
  });

  test('counts as late what had expired before it was renewed, once for each time', async () => {
    const { active, database, late } = reservations();
    active.add('one');
    database.nowMs = 15_000;
    await active.renew();
    expect(await late()).toBe(0);
    active.add('two');
    // Renewed at 15 s, so until 30 s.
    database.nowMs = 30_001;
    await active.renew();
    expect(await late()).toBe(2);
    await active.renew();
    expect(await late()).toBe(2);
  });

  test('counts from the beginning of the last renewal that succeeded', async () => {
    const { active, database, late } = reservations();
    active.add('one');
    [database.nowMs, database.isDown] = [10_000, true];
    await active.renew();
    [database.isDown, database.tookMs] = [false, 4000];
    await active.renew();
    // Until 25 s at least, and the answer came at 14 s.
    expect([database.nowMs, await late()]).toEqual([14_000, 0]);
    [database.nowMs, database.tookMs] = [25_001, 0];
    await active.renew();
    expect(await late()).toBe(1);
  });
});
