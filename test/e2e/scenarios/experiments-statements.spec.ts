import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { QueryRecorder } from '../../support/query-recorder';
import { queue } from '../../support/runs';
import { startService } from '../../support/service';
import { leastWithin } from '../../support/timing';

const COUNT = 40;
const MAX_MORE = 2;
const EXAM_ROWS = 8;
/** Judged rows that are read at once. */
const READ_ROWS = 8;
const ORDER = { prompt: 'Hello', models: ['sim-swift', 'sim-quill'] };

it('A row of an experiment costs at most two statements more than a run in the background, and a row of its judges less than one more than that', async () => {
  const databaseUrl = await ownDatabase('experiment_statements');
  const recorder = await QueryRecorder.inFrontOf(databaseUrl);
  // One slot, so that rows are dealt one by one, which takes most statements; leases that need no renewal meanwhile.
  const service = await startService({
    DATABASE_URL: recorder.url,
    MIGRATE_ON_START: 'true',
    MAX_CONCURRENT_RUNS: '1',
    RESERVATION_TTL_SECONDS: '3600',
    SIMULATOR: 'on',
    RATE_LIMIT_COMPARE_PER_MINUTE: '1000',
  });
  const caller = await createCaller({ at: service.url, freeQuota: 0 });
  const evals = (count: number) =>
    eventually(`${count} evals are stored`, () =>
      onDatabase(databaseUrl, async (client) => (await client.query('select 1 from evals')).rowCount === count),
    );
  const {
    body: { dataset_id: dataset },
  } = await caller.post(
    '/api/v1/datasets?name=rows',
    Array.from({ length: COUNT }, (_, index) => JSON.stringify({ input: `row ${index}` })).join('\n'),
    { headers: { 'content-type': 'application/x-ndjson' } },
  );
  let stored = 0;
  // On a busy machine it lasts longer, and periodic tasks send more statements meanwhile.
  const more = async () => {
    const ofRuns = await recorder.during(async () => {
      for (let index = 0; index < COUNT; index += 1) await queue(caller, ORDER);
      await evals((stored += COUNT));
    });
    const asked = ofRuns.filter(({ sql }) => /insert into runs|advisory/.test(sql)).length;
    const ofRows = await recorder.during(async () => {
      await caller.post('/api/v1/experiments', { dataset, ...ORDER, max_cost_usd: 1 });
      await evals((stored += COUNT));
    });
    const { experiments } = (await caller.get('/api/v1/experiments?limit=1')).body;
    const judge = {
      of: experiments[0].experiment_id as string,
      kind: 'rubric',
      models: ['sim-titan'],
      criterion: 'It is kind.',
    };
    const judgments = EXAM_ROWS + COUNT * ORDER.models.length;
    const ofJudges = await recorder.during(async () => {
      await caller.post('/api/v1/experiments', { judge, max_cost_usd: 10 });
      await evals((stored += judgments));
    });
    const read = ofJudges.filter(({ sql }) => /dataset_rows where dataset_id = \$1 and no >= \$2/.test(sql)).length;
    expect(read).toBe(COUNT / READ_ROWS);
    const each = {
      run: (ofRuns.length - asked) / COUNT,
      row: ofRows.length / COUNT,
      judgment: ofJudges.length / judgments,
    };
    expect(each.judgment).toBeLessThan(each.row + 1);
    process.stdout.write(`Statements, those that open and close transactions included: ${JSON.stringify(each)}\n`);
    return each.row - each.run;
  };
  expect(await leastWithin(MAX_MORE, more)).toBeLessThanOrEqual(MAX_MORE);
  await service.stop();
  await recorder.close();
}, 400_000);
