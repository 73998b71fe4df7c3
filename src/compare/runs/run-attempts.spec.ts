import { isId, newId } from '../../common/ids';
import { reservationOf } from './run-attempts';

const RUN = newId('run', new Date('2026-11-22T12:00:00.000Z'));
const at = (fence: number) => reservationOf({ runId: RUN, evalId: 'eval_1', createdAt: new Date('2026-11-21T09:00:00.000Z'), fence });

describe('The reservation of a run', () => {
  test('is one for each claim, and knows those of the earlier ones', () => {
    const ids = [1, 2, 3, 4].map((fence) => at(fence).id);
    expect(new Set(ids).size).toBe(4);
    expect(at(4)).toEqual({ id: ids[3], abandoned: ids.slice(0, 3) });
    expect(at(1).abandoned).toEqual([]);
  });

  test('has an id like any other, which follows from the run', () => {
    expect(isId('rsv', at(1).id)).toBe(true);
    expect(at(1)).toEqual(at(1));
    expect(at(1).id).not.toBe(reservationOf({ runId: newId('run', new Date('2026-11-22T12:00:00.000Z')), evalId: 'eval_1', createdAt: new Date('2026-11-21T09:00:00.000Z'), fence: 1 }).id);
  });
});
