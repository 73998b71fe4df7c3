import type { BillingService } from '../../billing/billing.service';
import { newCharge, type BillableEval } from '../../billing/charge';
import type { ReservationHandle } from '../../billing/reservation.types';
import { Money } from '../../../common/money';
import { Month } from '../../../common/month';
import type { EvalsService, StoredEval } from '../../evals/evals.service';
import type { ActiveCompare } from '../active-compare';
import type { AdmissionService } from '../admission.service';
import { LockLostError, type JobLock } from '../job-lock';
import type { UnsettledEval } from './finished-eval';
import type { RetriedSettlement, SettlementRetryService } from './settlement-retry.service';
import type { SettlementRepository, SettlementTerms } from './settlement.repository';
import { SettlementService } from './settlement.service';

const STARTED_AT = new Date('2026-11-21T10:00:00.000Z');
const RUN = { caller: { userId: 'user_1' }, evalId: 'eval_1', startedMs: 5000 } as ActiveCompare;
const UNSETTLED = {
  record: { id: 'eval_1', userId: 'user_1', createdAt: STARTED_AT, totalCost: Money.of('0.5') },
  results: [],
  startedAt: STARTED_AT,
} as unknown as UnsettledEval;
const RESERVATION = {
  id: 'rsv_1',
  userId: 'user_1',
  keyId: 'key_1',
  month: Month.of(STARTED_AT),
  isFree: true,
  isPersisted: true,
  wantsFree: true,
  freeQuota: 3,
} as ReservationHandle;
const UNCONDITIONALLY = { reservationId: null, usedUpQuota: null, idempotency: undefined };

/** A settlement whose statement does this or that, one after the other; `log` says what was done in which order. */
function settlementOf(ends: ('stores' | 'stores nothing' | Error)[], claimsFree = false, wasFree?: boolean) {
  const log: unknown[] = [];
  const repository = {
    settle: async (terms: SettlementTerms, stored: StoredEval, _: unknown, em?: object) => {
      log.push(['settle', terms, stored.record.isFree, em === undefined ? 'alone' : 'in the transaction']);
      const end = ends.shift();
      if (end instanceof Error) throw end;
      return end === 'stores' ? stored : undefined;
    },
    inTransaction: async (work: (tx: object) => Promise<unknown>) =>
      work({}).catch((error: unknown) => {
        log.push('rollback');
        throw error;
      }),
    inVain: async (work: (tx: object) => Promise<unknown>) => {
      log.push('begin');
      await work({}).finally(() => log.push('rollback'));
    },
  };
  const billing = {
    newCharge: (reservation: ReservationHandle, evaluation: BillableEval) =>
      newCharge(reservation, evaluation, { margin: '0.4', createdAt: STARTED_AT }),
    wasFree: async () => (log.push('look for its charge'), wasFree),
    releaseExpired: async () => void log.push('release expired'),
    lockMonth: async (_: object, reservation: ReservationHandle) => ({ ...reservation, isFree: claimsFree }),
    correctAboveLimit: async (_: object, __: ReservationHandle, { charge }: { charge: Money }) =>
      void log.push(['correct', charge.toString()]),
  };
  const evals = { find: async () => (log.push('find'), undefined) };
  const lock = (isHeld = true) =>
    ({
      fence: 1,
      markSucceeded: async () => {
        log.push('end the job');
        if (!isHeld) throw new LockLostError({ runId: 'run_1', fence: 1 });
      },
    }) as unknown as JobLock;
  const rehearsals: (() => Promise<void>)[] = [];
  const retry = {
    run: async ({ attempt, rehearse }: RetriedSettlement<unknown>) => {
      rehearsals.push(rehearse);
      return attempt(wasFree !== undefined);
    },
  };
  const settlement = new SettlementService(
    repository as unknown as SettlementRepository,
    billing as unknown as BillingService,
    evals as unknown as EvalsService,
    retry as unknown as SettlementRetryService,
    {} as AdmissionService,
  );
  return { settlement, log, lock, rehearse: () => rehearsals[0]?.() };
}

describe('SettlementService', () => {
  test.each([
    ['with its reservation, which is taken back', {}, { reservationId: 'rsv_1', usedUpQuota: null }],
    [
      'without a reservation where none was wanted',
      { isPersisted: false, wantsFree: false, isFree: false },
      { reservationId: null, usedUpQuota: null },
    ],
    [
      'in place of a free one only while the free evals are used up',
      { isPersisted: false, isFree: false },
      { reservationId: null, usedUpQuota: 3 },
    ],
    [
      'without a look at the free evals where there is no quota',
      { isPersisted: false, isFree: false, freeQuota: 0 },
      { reservationId: null, usedUpQuota: null },
    ],
  ])('stores an eval %s, in one statement', async (_, reservation, terms) => {
    const { settlement, log } = settlementOf(['stores']);
    const handle = { ...RESERVATION, ...reservation };
    const { stored, isReplay } = await settlement.store(RUN, UNSETTLED, handle);
    expect(log).toEqual([['settle', { ...terms, idempotency: undefined }, handle.isFree, 'alone']]);
    expect([stored.record.charge.toString(), isReplay]).toEqual([handle.isFree ? '0' : '0.7', false]);
  });

  test.each([
    [true, '0'],
    [false, '0.7'],
  ])(
    'settles by what is left now, under the lock of the month, where the reservation is gone (free: %s)',
    async (claimsFree, charge) => {
      const { settlement, log } = settlementOf(['stores nothing', 'stores'], claimsFree);
      const { stored } = await settlement.store(RUN, UNSETTLED, RESERVATION);
      expect(log).toEqual([
        ['settle', { reservationId: 'rsv_1', usedUpQuota: null, idempotency: undefined }, true, 'alone'],
        'release expired',
        ['settle', UNCONDITIONALLY, claimsFree, 'in the transaction'],
        ['correct', charge],
      ]);
      expect(stored.record.charge.toString()).toBe(charge);
    },
  );

  test('ends the job of an eval in the transaction that stores it, before the rows of the ledger are locked', async () => {
    const { settlement, log, lock } = settlementOf(['stores']);
    await settlement.store({ ...RUN, lock: lock() } as ActiveCompare, UNSETTLED, RESERVATION);
    expect(log).toEqual([
      'end the job',
      ['settle', { reservationId: 'rsv_1', usedUpQuota: null, idempotency: undefined }, true, 'in the transaction'],
    ]);
  });

  test('does not end the job where the reservation is gone, until it has settled by what is left', async () => {
    const { settlement, log, lock } = settlementOf(['stores nothing', 'stores']);
    await settlement.store({ ...RUN, lock: lock() } as ActiveCompare, UNSETTLED, RESERVATION);
    expect(log).toEqual([
      'end the job',
      ['settle', { reservationId: 'rsv_1', usedUpQuota: null, idempotency: undefined }, true, 'in the transaction'],
      'rollback',
      'release expired',
      'end the job',
      ['settle', UNCONDITIONALLY, false, 'in the transaction'],
      ['correct', '0.7'],
    ]);
  });

  test('stores nothing for a job whose lease is lost', async () => {
    const { settlement, log, lock } = settlementOf(['stores', 'stores']);
    await expect(
      settlement.store({ ...RUN, lock: lock(false) } as ActiveCompare, UNSETTLED, RESERVATION),
    ).rejects.toThrow(LockLostError);
    expect(log).toEqual(['end the job', 'rollback']);
  });

  test('stores no text where none is to be stored: at once, under the lock of the month, and in a rehearsal', async () => {
    const { settlement, log, rehearse } = settlementOf(['stores nothing', 'stores', 'stores']);
    await settlement.store(RUN, { ...UNSETTLED, isStored: false }, RESERVATION);
    await rehearse();
    expect(
      log
        .filter((entry): entry is [string, SettlementTerms] => Array.isArray(entry) && entry[0] === 'settle')
        .map(([, { isStored }]) => isStored),
    ).toEqual([false, false, false]);
  });

  test.each([
    [true, '0'],
    [false, '0.7'],
  ])(
    'finds an eval without stored texts by its charge after a lost answer, and charges it as then (free: %s)',
    async (wasFree, charge) => {
      const { settlement, log } = settlementOf([], false, wasFree);
      const { stored, isReplay } = await settlement.store(RUN, { ...UNSETTLED, isStored: false }, RESERVATION);
      expect([log, stored.record.charge.toString(), stored.record.isFree, isReplay]).toEqual([
        ['look for its charge'],
        charge,
        wasFree,
        false,
      ]);
    },
  );

  test('looks for a stored eval after a lost answer, not for its charge', async () => {
    const { settlement, log } = settlementOf(['stores'], false, true);
    await settlement.store(RUN, UNSETTLED, RESERVATION);
    expect(log[0]).toBe('find');
  });

  test.each([
    [1, undefined],
    [2, undefined],
    [2, {}],
  ])(
    'finds the eval of an earlier attempt of a job, and ends the job with it (claim %d, eval %j)',
    async (fence, stored) => {
      const marked: unknown[] = [];
      const evals = { find: async () => stored } as unknown as EvalsService;
      const settlement = new SettlementService(
        {} as SettlementRepository,
        {} as BillingService,
        evals,
        {} as SettlementRetryService,
        {} as AdmissionService,
      );
      const lock = { fence, markStored: async (found: unknown) => void marked.push(found) } as unknown as JobLock;
      expect([await settlement.findStored({ ...RUN, lock } as ActiveCompare), marked]).toEqual([
        stored,
        stored === undefined ? [] : [stored],
      ]);
    },
  );

  test('rehearses under another id and without the Idempotency-Key, and rolls back even where that fails', async () => {
    const { settlement, log, rehearse } = settlementOf([new Error('disk full'), new Error('disk full')]);
    const handle = { ...RESERVATION, idempotency: { key: 'k', fingerprint: 'f' } };
    await expect(settlement.store(RUN, UNSETTLED, handle)).rejects.toThrow('disk full');
    log.length = 0;
    await expect(rehearse()).rejects.toThrow('disk full');
    expect(log).toEqual(['begin', ['settle', UNCONDITIONALLY, true, 'in the transaction'], 'rollback']);
  });
});
