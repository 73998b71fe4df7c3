import { parsePendingRun } from './pending-run';

const RUN = {
  idempotencyKey: 'k',
  request: { prompt: 'p', models: ['a'] },
  evalId: 'eval_1',
  isStored: true,
  sentAt: 5,
};

describe('parsePendingRun', () => {
  it('reads what was stored', () => expect(parsePendingRun(JSON.parse(JSON.stringify(RUN)))).toEqual(RUN));
  it('knows a run without an id yet', () =>
    expect(parsePendingRun({ ...RUN, evalId: undefined, isStored: 'yes' })).toEqual({
      ...RUN,
      evalId: undefined,
      isStored: false,
    }));
  it.each([
    {},
    { ...RUN, idempotencyKey: 5 },
    { ...RUN, sentAt: 'now' },
    { ...RUN, request: null },
    { ...RUN, request: { prompt: 'p', models: [] } },
    { ...RUN, request: { prompt: 'p', models: [5] } },
  ])('takes nothing of %j', (stored) => {
    expect(parsePendingRun(stored)).toBeUndefined();
  });
});
