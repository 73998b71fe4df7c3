import { isId, newId } from '../../common/ids';
import { reservationOf } from './job-reservation';

const RUN = newId('run', new Date('2026-11-22T12:00:00.000Z'));
const at = (fence: number) => reservationOf({ runId: RUN, fence });

describe('The reservation of a job', () => {
  test('has a separate id for each attempt, and lists the ids of earlier attempts', () => {
    const ids = [1, 2, 3, 4].map((fence) => at(fence).id);
    expect(new Set(ids).size).toBe(4);
    expect(at(4)).toEqual({ id: ids[3], abandoned: ids.slice(0, 3) });
    expect(at(1).abandoned).toEqual([]);
  });

  test('has an id like any other, which follows from the job', () => {
    expect(isId('rsv', at(1).id)).toBe(true);
    expect(at(1)).toEqual(at(1));
    expect(at(1).id).not.toBe(
      reservationOf({ runId: newId('run', new Date('2026-11-22T12:00:00.000Z')), fence: 1 }).id,
    );
  });
});
