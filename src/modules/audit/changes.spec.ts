import { Money } from '../../common/money';
import { changesOf, facts } from './changes';

interface Row {
  freeQuota: number | null;
  limit: Money | null;
  endsAt: Date | null;
  names: string[] | null;
  hash: string;
}

const before: Row = { freeQuota: 3, limit: Money.of('0.1'), endsAt: null, names: ['a', 'b'], hash: 'secret' };
const MEMBERS = ['freeQuota', 'limit', 'endsAt', 'names'] as const;

describe('Audit changes of a row', () => {
  test('contain only the members that differ, under the names of their columns', () => {
    const after = {
      freeQuota: null,
      limit: Money.of('12.345678901234567890'),
      endsAt: new Date(0),
      names: ['b', 'a'],
      hash: 'other',
    };
    expect(changesOf(before, after, MEMBERS)).toEqual({
      free_quota: { from: 3, to: null },
      limit: { from: '0.1', to: '12.34567890123456789' },
      ends_at: { from: null, to: '1970-01-01T00:00:00.000Z' },
      names: { from: ['a', 'b'], to: ['b', 'a'] },
    });
  });

  test('are empty when the new values equal the old ones, in other objects and digits, or when no value is given', () => {
    expect(changesOf(before, { ...before, limit: Money.of('0.10'), names: ['a', 'b'] }, MEMBERS)).toEqual({});
    expect(changesOf(before, {}, MEMBERS)).toEqual({});
    expect(changesOf(before, { hash: 'other' }, MEMBERS)).toEqual({});
  });

  test('contain every member of a new row that is not null', () => {
    expect(changesOf<Row>(undefined, before, MEMBERS)).toEqual({
      free_quota: { from: null, to: 3 },
      limit: { from: null, to: '0.1' },
      names: { from: null, to: ['a', 'b'] },
    });
    expect(facts({ chargeId: 'chg_1', reason: null })).toEqual({ charge_id: { from: null, to: 'chg_1' } });
  });
});
