import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { runCommand } from '../../support/command';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { verifyLedger } from '../../support/ledger';
import { startService } from '../../support/service';
import { vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

/** Puts a reservation beside the totals of the user's month ($1). */
function reservationOf(isFree: boolean): string {
  return `insert into reservations (id, user_id, key_id, month, is_free, max_charge, is_key_limited, expires_at)
    select gen_random_uuid(), user_id, item, month, ${isFree}, ${isFree ? 0 : 5}, ${!isFree}, now() + interval '1 hour' from breakdown_totals where user_id = $1 and dimension = 'key'`;
}

/** Each tampers with the ledger of one user ($1), and has the line of the report that must mention it. */
const PLANTED: [what: string, statement: string, line: RegExp][] = [
  [
    'a counter of money',
    'update month_totals set charge = charge + 0.000000000001 where user_id = $1',
    /charge: counter \/ charges/,
  ],
  [
    'a counter of cost',
    'update month_totals set cost = cost - 0.000000000001 where user_id = $1',
    /cost: counter \/ charges/,
  ],
  [
    'a counter of evals',
    'update month_totals set eval_count = eval_count + 1 where user_id = $1',
    /^evals: counter \/ charges: 4 \/ 3/,
  ],
  [
    'a counter of free evals',
    'update month_totals set free_eval_count = 0 where user_id = $1',
    /free evals: counter \/ charges: 0 \/ 1/,
  ],
  ['a lost counter', 'delete from month_totals where user_id = $1', /charges without a counter/],
  [
    'the cost of a result',
    'update results set cost = cost + 0.000000000001 where position = 1 and eval_id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: charge row \/ results, cost/,
  ],
  [
    'the cost of two results of which one makes up for the other',
    `update results set cost = cost + (case position when 0 then 1 else -1 end) * 0.000000000001 where eval_id = (select max(id) from evals where user_id = $1)`,
    /eval_\w+: result 0, cost \/ tokens × rates/,
  ],
  [
    'the stated cost of a result',
    `update results set details = jsonb_set(details, '{statedCost}', '"0"') where position = 0 and eval_id = (select max(id) from evals where user_id = $1)`,
    /eval_\w+: result 0, cost \/ tokens × rates/,
  ],
  [
    'the tokens of a result',
    'update results set output_tokens = output_tokens + 1 where position = 0 and eval_id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: .*output tokens/,
  ],
  [
    'the charge of a result',
    `update results set details = jsonb_set(details, '{charge}', '"0"') where position = 1 and eval_id = (select max(id) from evals where user_id = $1)`,
    /eval_\w+: charge row \/ results, charge/,
  ],
  [
    'a lost result',
    'delete from results where position = 1 and eval_id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: charge row \/ results, cost/,
  ],
  [
    'the cost of an eval',
    'update evals set total_cost = 0 where id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: charge row \/ eval row, cost/,
  ],
  [
    'the charge of an eval',
    'update evals set charge = 0 where id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: charge row \/ eval row, charge/,
  ],
  [
    'a charge',
    'update charges set charge = charge - 0.000000000001 where user_id = $1 and not is_free',
    /charge of evals \/ cost × \(1 \+ margin\)/,
  ],
  [
    'the margin of a charge',
    'update charges set margin = 0.5 where user_id = $1 and not is_free',
    /charge of evals \/ cost × \(1 \+ margin\)/,
  ],
  [
    'a charge made free',
    'update charges set is_free = true where user_id = $1',
    /free evals: counter \/ charges: 1 \/ 3/,
  ],
  [
    'a lost charge',
    'delete from charges where eval_id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: an eval without a charge/,
  ],
  [
    'the cost of a model',
    `update breakdown_totals set cost = cost + 0.000000000001 where user_id = $1 and dimension = 'model' and item = 'sim-sage'`,
    /breakdown by model sim-sage: cost/,
  ],
  [
    'the cost moved between two models',
    `update breakdown_totals set cost = cost + (case item when 'sim-sage' then 1 else -1 end) * 0.000000000001 where user_id = $1 and dimension = 'model'`,
    /breakdown by model sim-swift: cost/,
  ],
  [
    'the charge of a day',
    `update breakdown_totals set charge = 0 where user_id = $1 and dimension = 'day'`,
    /breakdown by day \d{4}-\d\d-\d\d: charge/,
  ],
  [
    'the evals of a key',
    `update breakdown_totals set eval_count = 7 where user_id = $1 and dimension = 'key'`,
    /breakdown by key key_\w+: evals: 7 \/ 3/,
  ],
  [
    'the tokens of a key',
    `update breakdown_totals set input_tokens = 0 where user_id = $1 and dimension = 'key'`,
    /breakdown by key key_\w+: input tokens/,
  ],
  [
    'a lost model',
    `delete from breakdown_totals where user_id = $1 and dimension = 'model' and item = 'sim-sage'`,
    /breakdown by model sim-sage: cost/,
  ],
  [
    'a lost day, the only one',
    `delete from breakdown_totals where user_id = $1 and dimension = 'day'`,
    /breakdown by day \d{4}-\d\d-\d\d: cost/,
  ],
  ['a lost breakdown', 'delete from breakdown_totals where user_id = $1', /breakdown by key key_\w+: cost/],
  [
    'an eval that is lost',
    'delete from evals where id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: an eval that is neither stored nor erased/,
  ],
  [
    'what is left of an erased eval, lost',
    'delete from erased_evals where user_id = $1',
    /eval_\w+: an eval that is neither stored nor erased/,
  ],
  [
    'the cost of an erased result',
    `update erased_evals set result_summaries = jsonb_set(result_summaries, '{1,cost}', '"0.1"') where user_id = $1`,
    /eval_\w+: charge row \/ results, cost/,
  ],
  [
    'the rates of an erased result',
    `update erased_evals set result_summaries = jsonb_set(result_summaries, '{0,details,rates,output}', '"7"') where user_id = $1`,
    /eval_\w+: result 0, cost \/ tokens × rates/,
  ],
  [
    'the model of an erased result',
    `update erased_evals set result_summaries = jsonb_set(result_summaries, '{0,model}', '"sim-titan"') where user_id = $1`,
    /breakdown by model sim-titan: cost/,
  ],
  [
    'an invented key',
    `insert into breakdown_totals (user_id, month, dimension, item, cost) select user_id, month, 'key', 'key_x', 1 from month_totals where user_id = $1`,
    /breakdown by key key_x: cost/,
  ],
  [
    'a counter of held free evals',
    'update month_totals set free_held = free_held + 1 where user_id = $1',
    /free evals held \/ reservations: 1 \/ 0/,
  ],
  [
    'held money',
    'update month_totals set held = held + 0.000000000001 where user_id = $1',
    /^held \/ reservations: 0\.000000000001 \/ 0/,
  ],
  [
    'money held by a key',
    `update breakdown_totals set held = 1 where user_id = $1 and dimension = 'key'`,
    /breakdown by key key_\w+: held: 1 \/ 0/,
  ],
  ['a reservation of a free eval that nothing holds', reservationOf(true), /free evals held \/ reservations: 0 \/ 1/],
  ['a reservation of money that the month does not hold', reservationOf(false), /^held \/ reservations: 0(\.0+)? \/ 5/],
  [
    'a reservation of money that the key does not hold',
    reservationOf(false),
    /breakdown by key key_\w+: held: 0(\.0+)? \/ 5/,
  ],
];

/** The same with the experiment of a user, of whose two evals one is erased. */
const PLANTED_IN_EXPERIMENTS: typeof PLANTED = [
  [
    'the cost of an experiment',
    'update experiments set cost = cost + 0.000000000001 where user_id = $1',
    /exp_\w+: experiment \/ charges of its evals, cost/,
  ],
  [
    'the charge of an experiment',
    'update experiments set charge = 0 where user_id = $1',
    /exp_\w+: experiment \/ charges of its evals, charge/,
  ],
  [
    'the cost of a row',
    'update experiment_rows set cost = 0 where experiment_id = (select id from experiments where user_id = $1) and row_no = 0',
    /exp_\w+: row 0, attempt 1, cost/,
  ],
  [
    'a lost row',
    'delete from experiment_rows where eval_id = (select max(id) from evals where user_id = $1)',
    /eval_\w+: an eval of no row of its experiment/,
  ],
];

/**
 * The same with the only eval of a user, which has two samples of two models; the first call of the second model
 * failed.
 */
const PLANTED_WITH_SAMPLES: typeof PLANTED = [
  [
    'a lost result that cost nothing',
    'delete from results where error is not null and eval_id in (select id from evals where user_id = $1)',
    /eval_\w+: results \/ samples × models: 3 \/ 4/,
  ],
  [
    'the number of samples',
    'update evals set samples = 3 where user_id = $1',
    /eval_\w+: results \/ samples × models: 4 \/ 6/,
  ],
  [
    'a result moved to another sample',
    'update results set position = 9 where position = 3 and eval_id in (select id from evals where user_id = $1)',
    /eval_\w+: results in the order of models \/ results: 3 \/ 4/,
  ],
  [
    "two results of a sample in each other's position",
    `update results set model = case position when 0 then 'gpt-5.4-mini' else 'sim-swift' end where position < 2 and eval_id in (select id from evals where user_id = $1)`,
    /eval_\w+: results in the order of models \/ results: 2 \/ 4/,
  ],
  [
    'samples that were free',
    'update evals set is_free = true where user_id = $1',
    /eval_\w+: samples of a free eval \/ 1: 2 \/ 1/,
  ],
  [
    'the evals of a model, counted by samples',
    `update breakdown_totals set eval_count = 2 where dimension = 'model' and item = 'sim-swift' and user_id = $1`,
    /breakdown by model sim-swift: evals: 2 \/ 1/,
  ],
  [
    'the charge of one sample',
    `update results set details = jsonb_set(details, '{charge}', '"0"') where position = 2 and eval_id in (select id from evals where user_id = $1)`,
    /breakdown by model sim-swift: charge/,
  ],
  [
    'the cost of one sample',
    'update results set cost = cost + 0.000000000001 where position = 2 and eval_id in (select id from evals where user_id = $1)',
    /eval_\w+: result 2, cost \/ tokens × rates/,
  ],
];

const TRIGGERS = ['charges_append_only'];

/** As only a superuser can: without the triggers that prevent it. */
async function asSuperuser(client: Client, work: () => Promise<void>): Promise<void> {
  for (const trigger of TRIGGERS) await client.query(`alter table charges disable trigger ${trigger}`);
  await work();
  for (const trigger of TRIGGERS) await client.query(`alter table charges enable trigger ${trigger}`);
}

describe('npm run ledger:verify on a tampered ledger', () => {
  let databaseUrl: string;
  let honest: Caller;
  const victims: Caller[] = [];
  const sampled: Caller[] = [];
  const experimenting: Caller[] = [];
  let checked: Awaited<ReturnType<typeof verifyLedger>>;

  beforeAll(async () => {
    databaseUrl = await ownDatabase('tampered');
    const service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      MAX_VENDOR_RETRIES: '0',
      ...vendorVariables(worker().vendorUrl),
    });
    try {
      honest = await aVictim(service.url);
      while (victims.length < PLANTED.length) victims.push(await aVictim(service.url));
      while (sampled.length < PLANTED_WITH_SAMPLES.length + 1) sampled.push(await aSampledVictim(service.url));
      while (experimenting.length < PLANTED_IN_EXPERIMENTS.length + 1)
        experimenting.push(await anExperimenter(service.url));
      for (const caller of [honest, ...victims]) await eraseOne(caller);
    } finally {
      await service.stop();
    }
    expect((await verifyLedger(databaseUrl)).output).toContain(
      `The ledger is consistent: ${3 * PLANTED.length + PLANTED_WITH_SAMPLES.length + 2 * PLANTED_IN_EXPERIMENTS.length + 6} evals in ${PLANTED.length + PLANTED_WITH_SAMPLES.length + PLANTED_IN_EXPERIMENTS.length + 3} monthly totals.`,
    );
    await onDatabase(databaseUrl, (client) =>
      asSuperuser(client, async () => {
        for (const [callers, planted] of [
          [victims, PLANTED],
          [sampled, PLANTED_WITH_SAMPLES],
          [experimenting, PLANTED_IN_EXPERIMENTS],
        ] as const) {
          for (const [index, [what, statement]] of planted.entries()) {
            const { rowCount } = await client.query(statement, [callers[index]?.userId]);
            if (!rowCount) throw new Error(`Nothing planted: ${what}`);
          }
        }
      }),
    );
    checked = await verifyLedger(databaseUrl);
  });

  /** One free eval and two charged ones, of two models each. */
  async function aVictim(url: string): Promise<Caller> {
    const caller = await createCaller({ at: url, freeQuota: 1 });
    for (const prompt of ['first', 'second', 'third'])
      expect((await caller.compare({ prompt, models: ['sim-swift', 'sim-sage'] })).status).toBe(200);
    return caller;
  }

  /** One eval of two samples, in the first of which a model failed. */
  async function aSampledVictim(url: string): Promise<Caller> {
    const caller = await createCaller({ at: url, freeQuota: 0 });
    const prompt = vendorScript(randomUUID(), { 'gpt-5.4-mini': { fault: 'bad-request', failFirst: 1 } });
    const answer = await caller.compare({ prompt, models: ['sim-swift', 'gpt-5.4-mini'], options: { samples: 2 } });
    expect([answer.status, answer.body.results.filter((result: object) => 'error' in result).length]).toEqual([200, 1]);
    return caller;
  }

  /** An experiment of two rows, of which the first is erased. */
  async function anExperimenter(url: string): Promise<Caller> {
    const caller = await createCaller({ at: url });
    const dataset = (await caller.post('/api/v1/datasets', { rows: [{ input: 'first' }, { input: 'second' }] })).body
      .dataset_id as string;
    const { body } = await caller.post('/api/v1/experiments', {
      dataset,
      prompt: '{input}',
      models: ['sim-swift'],
      max_cost_usd: 1,
      parallel: 1,
    });
    expect(
      (await caller.get(`/api/v1/experiments/${body.experiment_id}`, { headers: { prefer: 'wait=30' } })).body.rows
        .done,
    ).toBe(2);
    const { rows } = (await caller.get(`/api/v1/experiments/${body.experiment_id}/rows`)).body;
    expect((await caller.delete(`/api/v1/evals/${rows[0].eval_id}`)).status).toBe(204);
    return caller;
  }

  /** The second of the three, which was charged. */
  async function eraseOne(caller: Caller): Promise<void> {
    const { evals } = (await caller.get('/api/v1/evals')).body;
    expect((await caller.delete(`/api/v1/evals/${evals[1].eval_id}`)).status).toBe(204);
  }

  const linesOf = (caller: Caller | undefined) =>
    checked.output
      .split('\n')
      .filter((line) => line.startsWith(`${caller?.userId} `))
      .map((line) => line.replace(/^\S+ \d{4}-\d\d {2}/, ''));

  it.each(PLANTED.map(([what, , line], index) => ({ what, line, index })))('finds: $what', ({ line, index }) => {
    expect(linesOf(victims[index])).toContainEqual(expect.stringMatching(line));
  });

  it.each(PLANTED_WITH_SAMPLES.map(([what, , line], index) => ({ what, line, index })))(
    'finds in an eval with samples: $what',
    ({ line, index }) => {
      expect(linesOf(sampled[index])).toContainEqual(expect.stringMatching(line));
    },
  );

  it.each(PLANTED_IN_EXPERIMENTS.map(([what, , line], index) => ({ what, line, index })))(
    'finds in an experiment: $what',
    ({ line, index }) => {
      expect(linesOf(experimenting[index])).toContainEqual(expect.stringMatching(line));
    },
  );

  it('prints the same discrepancies as JSON with --json', async () => {
    const { status, output } = await runCommand('ledger-verify', { DATABASE_URL: databaseUrl }, ['--json']);
    const report = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as {
      discrepancies: { userId: string; month: string; fact: string; counted: string | null; proven: string | null }[];
    };
    const lines = report.discrepancies.map(
      ({ userId, month, fact, counted, proven }) => `${userId} ${month}  ${fact}: ${counted} / ${proven}`,
    );
    expect([status, lines]).toEqual([1, checked.output.split('\n').filter((line) => /^user_/.test(line))]);
  });

  it('exits with 1 and a count, and reports no other user', () => {
    expect(checked.status).toBe(1);
    expect(checked.output).toMatch(/The ledger has \d+ discrepancies/);
    expect(checked.output).not.toContain('The ledger is consistent');
    expect([linesOf(honest), linesOf(sampled.at(-1)), linesOf(experimenting.at(-1))]).toEqual([[], [], []]);
  });

  it.each([
    'update charges set charge = 0',
    'delete from charges',
    'truncate charges',
    'truncate charges cascade',
    'update charges set charge = charge',
  ])('is rarely needed, since the database refuses %s', async (statement) => {
    await onDatabase(databaseUrl, (client) =>
      expect(client.query(statement)).rejects.toThrow('charges is append-only'),
    );
  });
});
