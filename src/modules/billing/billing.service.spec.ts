import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { Money } from '../../common/money';
import { ActiveReservationsService } from './active-reservations.service';
import { BillingService } from './billing.service';
import type { Charge } from './charge.entity';
import type { ChargesRepository } from './charges.repository';
import type { ReservationHandle, ReservationNeed, ReservationRequest } from './reservation.types';
import type { ReservationsRepository } from './reservations.repository';

const SETTINGS = {
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
};
const NOBODY: Caller = {
  userId: 'user_1',
  keyId: 'key_1',
  email: 'a@b.example',
  hasPaymentMethod: false,
  freeQuota: 1,
  monthlySpendLimit: null,
  keySpendLimit: null,
  allowedModels: null,
  scopes: null,
};
const NONE = { charged: Money.zero, reserved: Money.zero };

/** Billing over a ledger that is a number: how many free evals the month has seen. */
function billingOf(settings: Record<string, string> = {}) {
  const ledger = {
    freeEvals: 0,
    nowMs: 1000,
    spending: { user: NONE, key: NONE },
    corrections: [] as string[],
    log: [] as string[],
    brokenOnce: false,
    loweredTo: undefined as Money | undefined,
  };
  const reservations = {
    reserve: async ({ id, wantsFree, freeQuota, mayBeCharged, userLimit }: ReservationRequest) => {
      ledger.log.push(`reserve ${id}`);
      if (ledger.brokenOnce && ledger.log.filter((line) => line.startsWith('reserve')).length === 1)
        throw new Error('Connection terminated');
      const isFree = wantsFree && ledger.freeEvals < freeQuota;
      return {
        isMade: isFree || mayBeCharged,
        isFree,
        freeEvalCount: ledger.freeEvals,
        userLimit: ledger.loweredTo ?? userLimit,
        user: NONE,
        key: NONE,
      };
    },
    findIdempotency: async () => undefined,
    takeKey: async () => undefined,
    passKeyOn: async () => undefined,
    release: async (id: string) => void ledger.log.push(`release ${id}`),
    spending: async () => ledger.spending,
    inTransaction: (work: (tx: object) => unknown) => work({}),
  };
  const charges = {
    deleteExpiredIdempotencyKey: async () => undefined,
    insertCorrection: async (_: object, { charge, month, createdAt }: Charge) =>
      void ledger.corrections.push(`${charge.toString()} in ${month} at ${createdAt.toISOString()}`),
  };
  const clock = Object.assign(new Clock(), { monotonicMs: () => ledger.nowMs });
  const config = Config.read({ ...SETTINGS, ...settings });
  const active = new ActiveReservationsService(
    reservations as unknown as ReservationsRepository,
    clock,
    new Metrics(),
    config,
  );
  const billing = new BillingService(
    reservations as unknown as ReservationsRepository,
    charges as unknown as ChargesRepository,
    active,
    config,
    clock,
  );
  return { billing, ledger };
}

type Billing = ReturnType<typeof billingOf>['billing'];

function reserve(
  billing: Billing,
  caller: Partial<Caller> = {},
  need: Partial<ReservationNeed> = {},
): Promise<ReservationHandle> {
  return billing.reserve(
    { ...NOBODY, ...caller },
    {
      startedAt: new Date('2026-11-21T10:00:00.000Z'),
      wantsFree: true,
      maxCost: () => Money.of('0.01'),
      idempotency: undefined,
      ...need,
    },
  );
}

/** One eval from its reservation to its charge; returns the outcome. */
async function run(
  { billing, ledger }: ReturnType<typeof billingOf>,
  caller: Partial<Caller> = {},
  need: Partial<ReservationNeed> = {},
): Promise<string> {
  const reservation = await reserve(billing, caller, need);
  const {
    charge: { isFree, charge },
  } = billing.newCharge(reservation, {
    evalId: 'eval_1',
    startedAt: reservation.month.end,
    cost: Money.of('0.01'),
    results: [],
  });
  ledger.freeEvals += isFree ? 1 : 0;
  await billing.release(reservation, true);
  return isFree ? 'free' : `charged ${charge.toString()}`;
}

const REFUSED = { code: 'payment_required', status: 402 };

describe('BillingService with BILLING_ENFORCEMENT=require_payment_method', () => {
  const enforced = { BILLING_ENFORCEMENT: 'require_payment_method' };

  test('rejects a user with neither payment method nor free eval every time, also when the answer of the attempt before is cached', async () => {
    const parts = billingOf(enforced);
    const { ledger } = parts;
    expect(await run(parts)).toBe('free');
    for (let again = 0; again < 3; again += 1) await expect(run(parts)).rejects.toMatchObject(REFUSED);
    // Somebody who can pay makes this process remember that they are used up.
    expect(await run(parts, { hasPaymentMethod: true })).toBe('charged 0.014');
    for (let again = 0; again < 3; again += 1) await expect(run(parts)).rejects.toMatchObject(REFUSED);
    expect(ledger.freeEvals).toBe(1);
  });

  test('refuses no user a free eval because of a cached answer', async () => {
    const parts = billingOf(enforced);
    const { ledger } = parts;
    expect(await run(parts)).toBe('free');
    await expect(run(parts)).rejects.toMatchObject(REFUSED);
    ledger.freeEvals = 0;
    expect(await run(parts)).toBe('free');
  });

  test.each([
    ['the free quota does not cover its models', {}, { wantsFree: false }],
    ['the user has no free quota', { freeQuota: 0 }, {}],
    ['neither', { freeQuota: 0 }, { wantsFree: false }],
    ['the user has a spend limit that is not reached', { freeQuota: 0, monthlySpendLimit: Money.of('100') }, {}],
    ['the key has one', { keySpendLimit: Money.of('100') }, { wantsFree: false }],
  ])(
    'rejects a user without a payment method where %s, and accepts one with a payment method',
    async (_, caller, need) => {
      const parts = billingOf(enforced);
      await expect(run(parts, caller, need)).rejects.toMatchObject(REFUSED);
      expect(await run(parts, { ...caller, hasPaymentMethod: true }, need)).toBe('charged 0.014');
    },
  );
});

describe('BillingService, for an eval that is not free', () => {
  test('charges cost and margin also without a payment method where BILLING_ENFORCEMENT is meter', async () => {
    const parts = billingOf({ BILLING_MARGIN: '0.5' });
    expect([await run(parts), await run(parts), await run(parts)]).toEqual(['free', 'charged 0.015', 'charged 0.015']);
    expect(await run(parts, {}, { wantsFree: false })).toBe('charged 0.015');
  });

  test('skips the reservation once the free evals are known to be used up, for five seconds and in that month alone', async () => {
    const parts = billingOf();
    const { ledger } = parts;
    const isPersisted = async (need: Partial<ReservationNeed> = {}) =>
      (await reserve(parts.billing, {}, need)).isPersisted;
    await run(parts);
    expect([await isPersisted(), await isPersisted()]).toEqual([true, false]);
    expect(await isPersisted({ startedAt: new Date('2026-12-01T00:00:00.000Z') })).toBe(true);
    await run(parts);
    ledger.nowMs += 5001;
    expect([await isPersisted(), await isPersisted()]).toEqual([true, false]);
    expect((await reserve(parts.billing, { userId: 'user_2' })).isPersisted).toBe(true);
  });

  test('skips the reservation where the free quota does not cover the models, or where there is no free quota', async () => {
    const parts = billingOf();
    expect((await reserve(parts.billing, {}, { wantsFree: false })).isPersisted).toBe(false);
    expect((await reserve(parts.billing, { freeQuota: 0 })).isPersisted).toBe(false);
  });

  test.each([
    ['user has a spend limit', { monthlySpendLimit: Money.of('100') }, {}],
    ['key has one', { keySpendLimit: Money.of('100') }, {}],
    ['request has an Idempotency-Key', {}, { idempotency: { key: 'k', fingerprint: 'f' } }],
  ])('always reserves where the %s, since other compares must see the reservation', async (_, caller, need) => {
    const parts = billingOf();
    for (const wantsFree of [true, false])
      expect((await reserve(parts.billing, { ...caller, freeQuota: 0 }, { ...need, wantsFree })).isPersisted).toBe(
        true,
      );
  });
});

describe('BillingService, above a limit', () => {
  const spent = (charged: string, reserved = '0') => ({ charged: Money.of(charged), reserved: Money.of(reserved) });

  test.each([
    ['nothing without a limit', {}, { user: spent('9'), key: spent('9') }, []],
    [
      'nothing where both limits hold to the last digit',
      { monthlySpendLimit: '9', keySpendLimit: '9' },
      { user: spent('8', '1'), key: spent('9') },
      [],
    ],
    ["what is above the user's", { monthlySpendLimit: '9' }, { user: spent('9', '0.25'), key: spent('99') }, ['-0.25']],
    ["what is above the key's", { keySpendLimit: '9' }, { user: spent('99'), key: spent('9.5') }, ['-0.5']],
    [
      'the larger of both excesses',
      { monthlySpendLimit: '9', keySpendLimit: '5' },
      { user: spent('9.25'), key: spent('5.5') },
      ['-0.5'],
    ],
    [
      'the larger of both excesses, the other way round',
      { monthlySpendLimit: '9', keySpendLimit: '5' },
      { user: spent('9.5'), key: spent('5.25') },
      ['-0.5'],
    ],
    ['no more than the charge itself', { keySpendLimit: '5' }, { user: spent('7'), key: spent('7') }, ['-1']],
  ])(
    'takes off %s, in the month of the eval and right behind its charge',
    async (_, limits: Partial<Record<'monthlySpendLimit' | 'keySpendLimit', string>>, spending, amounts) => {
      const { billing, ledger } = billingOf();
      const caller = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Money.of(limit)]));
      const reservation = await reserve(billing, caller, { startedAt: new Date('2026-10-31T23:59:59.000Z') });
      ledger.spending = spending;
      await billing.correctAboveLimit({} as EntityManager, reservation, {
        charge: Money.of('1'),
        createdAt: new Date('2026-11-01T00:00:01.000Z'),
      } as Charge);
      expect(ledger.corrections).toEqual(amounts.map((amount) => `${amount} in 2026-10 at 2026-11-01T00:00:01.001Z`));
    },
  );

  test('takes off what is above a limit that was lowered after the authentication', async () => {
    const { billing, ledger } = billingOf();
    ledger.loweredTo = Money.of('9');
    const reservation = await reserve(billing, { monthlySpendLimit: Money.of('20') });
    ledger.spending = { user: spent('9.25'), key: NONE };
    await billing.correctAboveLimit({} as EntityManager, reservation, {
      charge: Money.of('1'),
      createdAt: new Date('2026-11-21T10:00:01.000Z'),
    } as Charge);
    expect(ledger.corrections).toEqual(['-0.25 in 2026-11 at 2026-11-21T10:00:01.001Z']);
  });
});

describe('BillingService, when its connection breaks', () => {
  test('releases what may have been reserved before it reserves again, so that nothing is held twice', async () => {
    const { billing, ledger } = billingOf();
    ledger.brokenOnce = true;
    const { id } = await reserve(billing, {}, { attempt: { id: 'rsv_2', abandoned: ['rsv_1'] } });
    expect(ledger.log).toEqual(['release rsv_1', 'reserve rsv_2', 'release rsv_1', 'release rsv_2', 'reserve rsv_2']);
    expect(id).toBe('rsv_2');
  });
});
