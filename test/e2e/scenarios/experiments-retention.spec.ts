import { randomUUID } from 'node:crypto';
import { CANCELED_EXPERIMENT } from '../../../src/modules/experiments/experiment.entity';
import type { Json } from '../../support/api';
import { columnsWith, onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { startService } from '../../support/service';

const MODELS = ['sim-swift', 'sim-quill'];
const ROWS = 6;
const NOW = '2031-02-15T00:00:00.000Z';
/** An hour before and after the 30 days that end now. */
const OLD = '2031-01-15T23:00:00.000Z';
const YOUNG = '2031-01-16T01:00:00.000Z';

/** An experiment whose every text contains `secret`. */
interface Started {
  caller: Caller;
  id: string;
  secret: string;
}

async function started(caller: Caller, slowMs = 0): Promise<Started> {
  const secret = `TEXT-${randomUUID()}`;
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    id: `${secret}-${index}`,
    input: `${secret} ${index}`,
    group: `${secret}-${index % 3}`,
    expected: secret,
  }));
  const {
    body: { dataset_id: dataset },
  } = await caller.post(`/api/v1/datasets?name=${randomUUID()}`, { rows });
  const { body } = await caller.post('/api/v1/experiments', {
    name: secret,
    dataset,
    prompt: `${secret} {input} [[sim:say=${secret}]] [[sim:slow=${slowMs}]]`,
    models: MODELS,
    options: { system: secret, history: [{ role: 'user', content: secret }] },
    checks: [{ type: 'contains', values: [secret] }],
    max_cost_usd: 1,
    parallel: 1,
  });
  return { caller, id: body.experiment_id as string, secret };
}

const read = async ({ caller, id }: Started, url: string) =>
  (await caller.at(url).get(`/api/v1/experiments/${id}`)).body;

async function ended(one: Started): Promise<Started> {
  await eventually('it has finished', async () => (await read(one, one.caller.url)).state === 'finished');
  return one;
}

/** Ends or pauses an experiment in the middle, whose rows take a second each so that it has not ended before. */
async function stopped(one: Started, state: string): Promise<Started> {
  await eventually('a row has ended', async () => (await read(one, one.caller.url)).rows.done > 0);
  await one.caller.patch(`/api/v1/experiments/${one.id}`, { state });
  await eventually('no row runs', async () => (await read(one, one.caller.url)).rows.running === 0);
  return one;
}

describe('RETENTION_DAYS and experiments', () => {
  it('erases the texts of experiments that ended longer ago, and keeps their charges, figures and summary; younger, paused and running ones stay', async () => {
    const databaseUrl = await ownDatabase('experiments_retention');
    const start = (clock: string, more: Record<string, string> = {}) =>
      startService({
        DATABASE_URL: databaseUrl,
        MIGRATE_ON_START: 'true',
        SIMULATOR: 'on',
        RESERVATION_TTL_SECONDS: '1',
        TEST_CLOCK: clock,
        ...more,
      });
    const columnsOf = async ({ secret }: Started) =>
      (await columnsWith(databaseUrl, secret)).filter((column) => !column.startsWith('dataset_rows.'));
    const early = await start(OLD);
    const [caller, other] = [
      await createCaller({ at: early.url, freeQuota: 0 }),
      await createCaller({ at: early.url, freeQuota: 0 }),
    ];
    const finished = await ended(await started(caller));
    // Its summary was never asked for.
    const canceled = await stopped(await started(caller, 1000), CANCELED_EXPERIMENT);
    const paused = await stopped(await started(caller, 1000), 'paused');
    const running = await started(caller, 60_000);
    await eventually('its row runs', async () => (await read(running, early.url)).rows.running === 1);
    await early.kill();
    const later = await start(YOUNG);
    const young = await Promise.all([caller, other].map(async (one) => ended(await started(one.at(later.url)))));
    const summary = (await caller.at(later.url).get(`/api/v1/experiments/${finished.id}/summary`)).body;
    const all = [finished, canceled, paused, running, ...young];
    const before = await Promise.all(all.map((one) => read(one, later.url)));
    const charges = async (url: string) =>
      Promise.all([caller, other].map(async (one) => (await one.at(url).get('/api/v1/usage?month=2031-01')).text));
    const charged = await charges(later.url);
    const groups = new Set(
      (await caller.at(later.url).get(`/api/v1/experiments/${canceled.id}/rows?state=done`)).body.rows.map(
        (row: Json) => row.group,
      ),
    );
    await later.kill();

    const [one, two] = await Promise.all([start(NOW, { RETENTION_DAYS: '30' }), start(NOW, { RETENTION_DAYS: '30' })]);
    for (const old of [finished, canceled])
      await eventually('it is erased', async () => (await read(old, one.url)).state === 'erased');
    const after = await Promise.all(all.map((each) => read(each, one.url)));
    const erased = { state: 'erased', name: null, prompt: null, options: null, checks: [] };
    expect(after.slice(0, 2)).toEqual([
      { ...before[0], ...erased },
      { ...before[1], ...erased },
    ]);
    for (const old of [finished, canceled]) expect(await columnsOf(old)).toEqual([]);
    for (const { state, rows, prompt } of after.slice(4))
      expect([state, rows.done, prompt]).toEqual(['finished', ROWS, expect.stringContaining('TEXT-')]);
    expect(after.slice(2, 4).map(({ state }) => state as string)).toEqual(['paused', 'running']);
    for (const index of [2, 4, 5]) expect(after[index]).toEqual(before[index]);
    for (const each of young)
      expect(await columnsOf(each)).toEqual([
        'evals.checks',
        'evals.input',
        'evals.options',
        'evals.prompt',
        'experiment_rows.group_id',
        'experiment_rows.row_id',
        'experiments.name',
        'experiments.spec',
        'results.output',
      ]);
    // Its old evals are as old as any others.
    await eventually('its evals have expired', async () =>
      (await columnsOf(paused)).every((column) => column.startsWith('experiment')),
    );
    expect(await columnsOf(paused)).toEqual([
      'experiment_rows.group_id',
      'experiment_rows.row_id',
      'experiments.name',
      'experiments.spec',
    ]);

    expect(await charges(one.url)).toEqual(charged);
    const summaryOf = async ({ id }: Started) =>
      (await caller.at(one.url).get(`/api/v1/experiments/${id}/summary`)).body;
    expect(await summaryOf(finished)).toEqual(summary);
    const { done } = before[1].rows;
    expect(await summaryOf(canceled)).toMatchObject({
      final: true,
      rows: done,
      groups: groups.size,
      models: MODELS.map((model) => ({ model, answered: done, passed: { rate: 1 } })),
    });
    await onDatabase(databaseUrl, async (client) => {
      const { rows } = await client.query<{ actor: string; target_id: string }>(
        "select actor, target_id from audit_entries where action = 'experiment.expired' order by target_id",
      );
      expect(rows).toEqual([finished, canceled].map(({ id }) => ({ actor: 'experiment_erasure', target_id: id })));
    });
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    for (const service of [one, two]) {
      expect(service.output()).not.toMatch(/"level":"error"|erased now|kept now/);
      await service.kill();
    }
  });
});
