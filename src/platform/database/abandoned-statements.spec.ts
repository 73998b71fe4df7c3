import { AbandonedStatements } from './abandoned-statements';

/** Statements of a server on which these processes work, with everything that was said of them. */
function statementsOn(server: { working: readonly number[] | Error }) {
  const counts: number[] = [];
  const looks: (readonly number[])[] = [];
  const statements = new AbandonedStatements({
    onChange: (count) => counts.push(count),
    findWorking: async (pids) => {
      looks.push(pids);
      if (server.working instanceof Error) throw server.working;
      const { working } = server;
      return pids.filter((pid) => working.includes(pid));
    },
  });
  return { statements, counts, looks };
}

describe('AbandonedStatements', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const aLook = () => jest.advanceTimersByTimeAsync(1000);

  it('counts each until the server has done it', async () => {
    const server = { working: [7, 8] };
    const { statements, counts } = statementsOn(server);
    for (const pid of [7, 8, 7]) statements.add(pid);
    await aLook();
    expect(counts).toEqual([1, 2]);
    server.working = [8];
    await aLook();
    server.working = [];
    await aLook();
    expect(counts).toEqual([1, 2, 1, 0]);
  });

  it('looks once a second while there is one, and not otherwise', async () => {
    const server = { working: [7] };
    const { statements, looks } = statementsOn(server);
    await aLook();
    statements.add(7);
    await aLook();
    await aLook();
    server.working = [];
    await aLook();
    await aLook();
    expect(looks).toEqual([[7], [7], [7]]);
    for (const pid of [9, 10]) statements.add(pid);
    await aLook();
    expect(looks.slice(3)).toEqual([[9, 10]]);
  });

  it('asks with the time since each was abandoned, so that a later statement of the same process does not count', async () => {
    let nowMs = 1000;
    const ages: (readonly number[])[] = [];
    const statements = new AbandonedStatements(
      {
        onChange: () => undefined,
        findWorking: async (pids, agesMs) => {
          ages.push(agesMs);
          return pids;
        },
      },
      { monotonicMs: () => nowMs },
    );
    statements.add(7);
    nowMs = 1400;
    statements.add(8);
    nowMs = 2000;
    await aLook();
    expect(ages).toEqual([[1000, 600]]);
  });

  it('keeps no process alive', () => {
    const { statements } = statementsOn({ working: [7] });
    const timer = jest.spyOn(globalThis, 'setTimeout');
    statements.add(7);
    expect((timer.mock.results[0]?.value as NodeJS.Timeout).hasRef()).toBe(false);
  });

  it.each([
    ['that cannot be reached', 'ECONNREFUSED', [1, 0]],
    ['that is full', '53300', [1]],
  ])('of a server %s (%s) counts as %j', async (_, code, expected) => {
    const { statements, counts } = statementsOn({ working: Object.assign(new Error('no look'), { code }) });
    statements.add(7);
    await aLook();
    expect(counts).toEqual(expected);
  });

  it('keeps a statement that is added during a check', async () => {
    let finish: (working: readonly number[]) => void = () => undefined;
    const counts: number[] = [];
    const statements = new AbandonedStatements({
      onChange: (count) => counts.push(count),
      findWorking: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    statements.add(7);
    await aLook();
    statements.add(8);
    finish([]);
    await jest.advanceTimersByTimeAsync(0);
    expect(counts).toEqual([1, 2, 1]);
  });
});
