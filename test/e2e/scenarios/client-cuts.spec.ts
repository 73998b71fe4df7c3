import { ModelComparison, type CompareEvent } from '../../../src/clients/client/client';
import { startCuttingProxy, type CutPoint } from '../../support/cutting-proxy';
import { createCaller, type Caller } from '../../support/factories';

const RUNS = 50;
const AT_ONCE = 10;
const BODY = { prompt: '[[sim:pace=400]] [[sim:length=20]] again', models: ['sim-swift', 'sim-sage'] };

/**
 * A number of runs, a few at a time, each through a separate proxy that cuts its first connection. Returns the results
 * of `use`.
 */
async function throughCuts<T>(
  caller: Caller,
  point: CutPoint,
  runs: number,
  use: (mcs: ModelComparison) => Promise<T>,
): Promise<T[]> {
  const all: T[] = [];
  const one = async () =>
    use(new ModelComparison({ baseUrl: await startCuttingProxy(caller.url, point), apiKey: caller.key }));
  while (all.length < runs)
    all.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs - all.length) }, one))));
  return all;
}

async function expectStoredOnce(caller: Caller, evals: { eval_id: string }[]): Promise<void> {
  const mcs = new ModelComparison({ baseUrl: caller.url, apiKey: caller.key });
  const stored: string[] = [];
  for await (const { eval_id: id } of mcs.evals.list({ limit: 20 })) stored.push(id);
  expect(stored.sort()).toEqual(evals.map(({ eval_id: id }) => id).sort());
  expect((await mcs.usage.get()).eval_count).toBe(evals.length);
  for (const one of evals) expect(one).toEqual(await mcs.evals.get(one.eval_id));
}

describe('A client whose connection is cut', () => {
  it.each<CutPoint>(['before the head', 'in the head', 'after the first event', 'after the last event'])(
    '%s: a stream never runs twice, and eval() gives the stored eval',
    async (point) => {
      const caller = await createCaller();
      await expectStoredOnce(caller, await throughCuts(caller, point, RUNS, (mcs) => mcs.stream(BODY).eval()));
    },
  );

  it.each<CutPoint>(['before the head', 'in the head', 'in the body'])(
    '%s: a compare never runs twice',
    async (point) => {
      const caller = await createCaller();
      await expectStoredOnce(caller, await throughCuts(caller, point, AT_ONCE, (mcs) => mcs.compare(BODY)));
    },
  );

  it('throws connection_lost to the reader of the events, who then asks for the eval', async () => {
    const caller = await createCaller();
    const mcs = new ModelComparison({
      baseUrl: await startCuttingProxy(caller.url, 'after the first event'),
      apiKey: caller.key,
    });
    const run = mcs.stream(BODY);
    const seen: CompareEvent[] = [];
    const reading = (async () => {
      for await (const event of run) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError', code: 'connection_lost' });
    expect(seen.map(({ event }) => event)).toEqual(['eval-started']);
    expect((await run.eval()).eval_id).toBe(run.evalId);
  });
});
