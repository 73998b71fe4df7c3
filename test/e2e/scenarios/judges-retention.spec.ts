import type { Json } from '../../support/api';
import { columnsWith, onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { answered, bodyOf, judging, ROWS, summaryOf } from '../../support/judged-capitals';
import { verifyLedger } from '../../support/ledger';
import { startService } from '../../support/service';

const DAY_MS = 86_400_000;
const SECRET = 'Zyxwvutsrq';

it('RETENTION_DAYS erases the judges of an experiment with it, also later and paused ones, and keeps their summaries', async () => {
  const databaseUrl = await ownDatabase('judges_retention');
  const service = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on', RETENTION_DAYS: '3' });
  const caller = await createCaller({ at: service.url });
  const rows = ROWS.map((row, no) => ({ ...row, id: `${SECRET}-${no}`, group: SECRET }));
  const of = await answered(caller, { prompt: `{input} [[sim:say=${SECRET}]]` }, rows);
  const early = await judging(caller, of, { criterion: `It says ${SECRET}.` });
  await service.moveClock(2 * DAY_MS);
  const late = await judging(caller, of, { kind: 'rubric', criterion: `It says ${SECRET}, too.` });
  const poor = { ...bodyOf(of, { criterion: `It says ${SECRET} again.` }), max_cost_usd: 0.01 };
  const { experiment_id: paused } = (await caller.post('/api/v1/experiments', poor)).body;
  const stateOf = async (id: string): Promise<Json> => (await caller.get(`/api/v1/experiments/${id}`)).body;
  await eventually('its cap is reached', async () => (await stateOf(paused)).reason === 'cap_reached');
  const other = await answered(caller, { prompt: 'No mark at all {input}' });
  const ended = [early, late];
  const [summaries, before] = [await Promise.all(ended.map((one) => summaryOf(caller, one))), await caller.usage()];
  await service.moveClock(1.5 * DAY_MS);
  // Its erasure wakes the task that looks for old ones.
  await caller.delete(`/api/v1/experiments/${other}`);
  for (const id of [of, early.experiment_id, late.experiment_id, paused])
    await eventually('it is erased', async () => (await stateOf(id as string)).state === 'erased');
  const left = async () => (await columnsWith(databaseUrl, SECRET)).filter((column) => !/^dataset_rows\./.test(column));
  expect(await left()).toEqual([]);
  expect(await Promise.all(ended.map((one) => summaryOf(caller, one)))).toEqual(summaries);
  expect(await caller.usage()).toEqual(before);
  const expired = await onDatabase(
    databaseUrl,
    async (client) =>
      (await client.query<Json>("select target_id from audit_entries where action = 'experiment.expired'")).rows,
  );
  expect(expired).toEqual([{ target_id: of }]);
  expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  expect(service.output()).not.toMatch(/"level":"error"|erased now|kept now/);
  expect(await service.stop()).toBe(0);
});
