import type { AuditService } from '../audit/audit.service';
import type { Caller } from '../auth/caller';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Money } from '../../common/money';
import { Month } from '../../common/month';
import type { ModelsService } from '../models/models.service';
import type { ChargesRepository } from './charges.repository';
import { LedgerService } from './ledger.service';

const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
  BILLING_MARGIN: '0.25',
});
const MONTH = Month.of(new Date('2026-11-21T10:00:00.000Z'));

function aLedger({
  freeIds = () => ['sim-swift'] as readonly string[],
  month = undefined as object | undefined,
} = {}): LedgerService {
  const charges = { findMonth: async () => month } as unknown as ChargesRepository;
  return new LedgerService(charges, { freeIds } as unknown as ModelsService, {} as AuditService, CONFIG, new Clock());
}

describe('LedgerService.pricing', () => {
  test('names the models that are free now, not the models that were free at start', () => {
    let freeIds = ['sim-swift'];
    const ledger = aLedger({ freeIds: () => freeIds });
    expect(ledger.pricing()).toMatchObject({
      label: 'pass-through',
      description: 'Model cost plus a 25 percent margin.',
      freeModels: ['sim-swift'],
    });
    expect(ledger.pricing()).toBe(ledger.pricing());
    freeIds = ['sim-quill', 'sim-swift'];
    expect(ledger.pricing().freeModels).toEqual(['sim-quill', 'sim-swift']);
  });
});

describe('LedgerService.month', () => {
  test.each([
    [undefined, 3],
    [0, 3],
    [2, 1],
    [3, 0],
    [4, 0],
  ])('leaves, of a quota of three with %s used, %d free evals', async (freeEvalCount, left) => {
    const month =
      freeEvalCount === undefined
        ? undefined
        : { evalCount: 9, freeEvalCount, cost: Money.zero, charge: Money.of('0.5') };
    const report = await aLedger({ month }).month({ userId: 'user_1', freeQuota: 3 } as Caller, MONTH);
    expect(report).toEqual({
      month: MONTH,
      evalCount: month?.evalCount ?? 0,
      charge: month?.charge ?? Money.zero,
      freeEvalsRemaining: left,
    });
  });
});
