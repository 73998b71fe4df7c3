import { operator } from '../../support/api';
import { createCaller } from '../../support/factories';
import { leastWithin } from '../../support/timing';

const MISSING = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';
const MAX_RATIO = 1.5;

describe('A change of another user', () => {
  it('fails no read and no compare', async () => {
    const [changed, ...callers] = [
      await createCaller(),
      await createCaller(),
      await createCaller(),
      await createCaller(),
      await createCaller(),
    ];
    const change = async (quota: number) =>
      (await operator().patch(`/api/v1/admin/users/${changed.userId}`, { free_quota: quota })).status;
    // Several at once, so that one change comes while keys are looked up after another.
    const changes = (async () => {
      for (let round = 0; round < 5; round += 1)
        expect(await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(change))).toEqual(Array.from({ length: 8 }, () => 200));
      return 'over' as const;
    })();
    let isOver = false;
    void changes.then(() => {
      isOver = true;
    });
    const statuses = new Set<number>();
    // Each of them looks its key up once a second, and again for the changes that come first. Eight at a time often
    // wait for one look-up.
    await Promise.all(
      callers.flatMap((caller) =>
        Array.from({ length: 8 }, async (_, index) => {
          while (!isOver)
            statuses.add(
              (
                await (index === 0
                  ? caller.compare({ prompt: 'meanwhile', models: ['sim-swift'] })
                  : caller.get('/api/v1/key'))
              ).status,
            );
        }),
      ),
    );
    expect(await changes).toBe('over');
    // A busy machine may refuse some of these requests with 503.
    expect([...statuses].filter((status) => status !== 503)).toEqual([200]);
  });
});

describe("Another user's eval", () => {
  it('is answered with the same bytes as a nonexistent one', async () => {
    const [owner, otherUser] = [await createCaller(), await createCaller()];
    const { eval_id: id } = (await owner.compare({ prompt: 'mine', models: ['sim-swift'] })).body;
    const foreign = await otherUser.get(`/api/v1/evals/${id}`);
    const missing = await otherUser.get(`/api/v1/evals/${MISSING}`);
    expect(foreign.status).toBe(404);
    const withoutId = (text: string) => text.replace(/req_\w+/, 'req');
    expect(withoutId(foreign.text)).toBe(withoutId(missing.text));
    expect((await otherUser.get('/api/v1/evals')).body.evals).toEqual([]);
    expect((await otherUser.usage()).eval_count).toBe(0);
  });

  it('is answered with the same headers and in the same time as a nonexistent one', async () => {
    const owner = await createCaller();
    const { eval_id: foreign } = (await owner.compare({ prompt: 'mine', models: ['sim-swift'] })).body;
    const ratio = async () => {
      const otherUser = await createCaller();
      const times: Record<string, number[]> = { [foreign]: [], [MISSING]: [] };
      const names: Record<string, string[]> = {};
      // In turns, so that whatever else the machine does meets both alike.
      for (let round = 0; round < 200; round += 1) {
        for (const id of round % 2 === 0 ? [foreign, MISSING] : [MISSING, foreign]) {
          const begun = performance.now();
          const { status, headers } = await otherUser.get(`/api/v1/evals/${id}`);
          times[id]?.push(performance.now() - begun);
          expect(status).toBe(404);
          names[id] = [...headers.keys()];
        }
      }
      expect(names[foreign]).toEqual(names[MISSING]);
      const [ofForeign, ofMissing] = [median(times[foreign]), median(times[MISSING])];
      return Math.max(ofForeign, ofMissing) / Math.min(ofForeign, ofMissing);
    };
    expect(await leastWithin(MAX_RATIO, ratio)).toBeLessThanOrEqual(MAX_RATIO);
  });

  it('never appears among 200 mixed requests of two users', async () => {
    const callers = [await createCaller(), await createCaller()] as const;
    const runs = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const caller = callers[index % 2 === 0 ? 0 : 1];
        const { body } = await caller.compare({
          prompt: `of ${caller.userId} ${index}`,
          models: ['sim-swift', 'sim-titan'],
        });
        expect(body.prompt).toBe(`of ${caller.userId} ${index}`);
        return { owner: caller.userId, id: body.eval_id as string };
      }),
    );
    for (const caller of callers) {
      const { evals } = (await caller.get('/api/v1/evals?limit=100')).body;
      expect(evals.map((summary: { eval_id: string }) => summary.eval_id).sort()).toEqual(
        runs
          .filter(({ owner }) => owner === caller.userId)
          .map(({ id }) => id)
          .sort(),
      );
    }
  });
});

function median(values: number[] = []): number {
  return values.sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
