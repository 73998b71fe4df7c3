import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { startService } from '../../support/service';
import { UnpreparingPooler } from '../../support/unpreparing-pooler';

const COMPARE = { prompt: 'through a pooler', models: ['sim-swift', 'sim-quill'] };
const WARNING =
  /A prepared statement was rejected, as behind a pooler in transaction mode\. The service no longer prepares statements\. Set DATABASE_PREPARE=off, or let the pooler keep prepared statements\./g;

/** The answers, the statements and the log of a service behind such a pooler. */
async function through(
  variables: Record<string, string>,
  refuses: ((text: string) => boolean) | undefined,
  ask: (caller: Caller, pooler: UnpreparingPooler) => Promise<void>,
): Promise<string> {
  const databaseUrl = await ownDatabase('pooled');
  const pooler = await UnpreparingPooler.inFrontOf(databaseUrl, refuses);
  const service = await startService({
    DATABASE_URL: pooler.url,
    MIGRATE_ON_START: 'true',
    SIMULATOR: 'on',
    ...variables,
  });
  try {
    await ask(await createCaller({ at: service.url, freeQuota: 1 }), pooler);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    return service.output();
  } finally {
    await service.stop();
    pooler.close();
  }
}

describe('Prepared statements', () => {
  it('are named after their text, the same in two processes that do not know each other', async () => {
    const seen: Set<string>[] = [];
    for (const order of [
      ['/api/v1/usage', '/api/v1/evals'],
      ['/api/v1/evals', '/api/v1/usage'],
    ]) {
      await through(
        {},
        () => false,
        async (caller, pooler) => {
          for (const path of order) expect((await caller.get(path)).status).toBe(200);
          seen.push(pooler.names);
        },
      );
    }
    expect(seen[0]?.size).toBeGreaterThan(3);
    expect([...(seen[0] ?? [])].sort()).toEqual([...(seen[1] ?? [])].sort());
    for (const name of seen[0] ?? []) expect(name).toMatch(/^mcs_[0-9a-f]{40}$/);
  });

  it('are not sent with DATABASE_PREPARE=off', async () => {
    const output = await through({ DATABASE_PREPARE: 'off' }, undefined, async (caller, pooler) => {
      expect((await caller.compare(COMPARE)).status).toBe(200);
      expect((await caller.get('/api/v1/usage')).status).toBe(200);
      expect([...pooler.names]).toEqual([]);
    });
    expect(output).not.toMatch(WARNING);
  });

  it('are given up at the first rejection, whose connection is ended: reads are repeated, and one line says what to do', async () => {
    const output = await through({}, undefined, async (caller, pooler) => {
      for (const path of ['/api/v1/usage', '/api/v1/evals', '/api/v1/usage/statement'])
        expect((await caller.get(path)).status).toBe(200);
      expect((await caller.compare(COMPARE, { headers: { 'idempotency-key': 'pooled' } })).status).toBe(200);
      expect(pooler.refused).toBeGreaterThanOrEqual(1);
      await eventually(
        'every connection that was refused has ended',
        () => pooler.endedAfterRefusal === pooler.refused,
      );
    });
    expect(output.match(WARNING)).toHaveLength(1);
  });

  it.each([
    ['to settle', /insert into evals/],
    ['to reserve', /insert into reservations/],
  ])('cost a retry, and no eval, when they are first rejected at the moment %s', async (_, text) => {
    await through(
      {},
      (sent) => text.test(sent),
      async (caller, pooler) => {
        const { status, body } = await caller.compare(COMPARE);
        expect([status, pooler.refused]).toEqual([200, 1]);
        expect((await caller.get(`/api/v1/evals/${body.eval_id}`)).status).toBe(200);
        expect(await caller.usage()).toMatchObject({ eval_count: 1, free_evals_remaining: 0 });
      },
    );
  });
});
