import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';

const COMPARE = { prompt: 'to be stored', models: ['sim-swift'] };
const SUSPENDED = 'The last 10 evals could not be stored; compares are refused until one can be.';
const RESUMED = 'Evals can be stored again; compares are accepted.';

describe('A database that accepts reservations but no evals', () => {
  let databaseUrl: string;
  let service: ServiceProcess;
  let callers: [Caller, Caller];

  beforeAll(async () => {
    databaseUrl = await ownDatabase('unsettled');
    service = await startService({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', SIMULATOR: 'on' });
    callers = [await createCaller({ at: service.url }), await createCaller({ at: service.url })];
  });
  afterAll(() => service.stop());

  const run = (statement: string) => onDatabase(databaseUrl, async (client) => client.query(statement));
  const modelCalls = async () =>
    Number(
      /^gen_ai_client_operation_duration_seconds_count\{[^}]*\} (\d+)$/m.exec(
        (await callers[0].get('/metrics')).text,
      )?.[1],
    );
  const suspended = async () =>
    Number(/^mcs_compares_suspended (\d)$/m.exec((await callers[0].get('/metrics')).text)?.[1]);

  it('refuses compares before any model is called while its disk is full, and counts that for the alerts', async () => {
    const full = async () =>
      Number(/^mcs_database_disk_full_total (\d+)$/m.exec((await callers[0].get('/metrics')).text)?.[1]);
    expect(await full()).toBe(0);
    await run(
      `create function fill() returns trigger language plpgsql as $$ begin raise exception using errcode = 'disk_full'; end $$`,
    );
    await run('create trigger fill before insert on reservations for each row execute function fill()');
    const { status, headers } = await callers[0].compare(COMPARE);
    await run('drop trigger fill on reservations');
    expect([status, headers.get('retry-after'), await full()]).toEqual([503, '1', 1]);
    expect(await modelCalls()).toBe(NaN);
  });

  it('loses ten evals of two users, then makes compares fail before any model is called, until it accepts evals again', async () => {
    const [one, other] = callers;
    const { body: before } = await one.compare(COMPARE, { headers: { 'idempotency-key': 'before' } });
    // Reading and reserving work; the final write does not.
    await run(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no space' using detail = 'Failing row: CANARYROW', hint = 'CANARYROW'; end $$`,
    );
    await run('create trigger refuse before insert on results for each row execute function refuse()');
    for (let index = 0; index < 10; index += 1)
      expect((await (index < 9 ? one : other).compare(COMPARE)).status).toBe(500);
    expect(await modelCalls()).toBe(11);

    for (const caller of callers) {
      const refused = await caller.compare(COMPARE);
      expect(refused).toMatchObject({
        status: 503,
        body: {
          error: {
            code: 'unavailable',
            message:
              'Evals cannot be stored at the moment, so none is started; nothing was charged. Try again after Retry-After seconds.',
          },
        },
      });
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect((await one.compare({ ...COMPARE, models: ['unknown'] })).body.error.code).toBe('unknown_model');
    expect((await one.compare(COMPARE, { headers: { 'idempotency-key': 'before' } })).body).toEqual(before);
    expect((await one.get(`/api/v1/evals/${before.eval_id}`)).status).toBe(200);
    expect([await modelCalls(), await suspended()]).toEqual([11, 1]);

    // Rehearsals come and go without a trace, and none of them ends the outage.
    const rehearsed = async () =>
      (
        await run(
          'select coalesce(sum(xact_rollback), 0)::integer as count from pg_stat_database where datname = current_database()',
        )
      ).rows[0].count as number;
    const begun = await rehearsed();
    await eventually('it was rehearsed, more than once', async () => (await rehearsed()) >= begun + 2);
    expect(await suspended()).toBe(1);

    await run('drop trigger refuse on results');
    await eventually('compares are taken again', async () => (await suspended()) === 0);
    expect((await other.compare(COMPARE)).status).toBe(200);
    expect(await modelCalls()).toBe(12);
    expect((await run('select count(*)::integer as count from evals')).rows[0].count).toBe(2);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
    const lines = service.output().split('\n');
    // Postgres quotes rows beside its message, and rows hold prompts.
    expect([lines.some((line) => line.includes('no space')), lines.some((line) => line.includes('CANARYROW'))]).toEqual(
      [true, false],
    );
    expect([SUSPENDED, RESUMED].map((words) => lines.filter((line) => line.includes(words)).length)).toEqual([1, 1]);
  });
});
