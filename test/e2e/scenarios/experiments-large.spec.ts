import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { memoryMib } from '../../support/memory';
import { startService, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';

/** 10,000 take some minutes. */
const ROWS = Number(process.env['ROWS'] ?? 600);
const MODELS = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];
/** Of idle memory, with a heap of at most 128 MiB: V8 collects late where there is room. */
const MAX_GROWTH_MIB = 60;
const LIVE = 40;
/**
 * In turns, so at worst half as fast; a service without turns would let the small one wait for the end of the other.
 */
const MAX_RATIO = 4;

async function start(caller: Caller, rows: number, members: object = {}): Promise<string> {
  const {
    body: { dataset_id: dataset },
  } = await caller.post(
    '/api/v1/datasets?name=rows',
    Array.from({ length: rows }, (_, index) =>
      JSON.stringify({ input: `row ${index}`, expected: index % 3 === 0 ? 'row' : 'none' }),
    ).join('\n'),
    { headers: { 'content-type': 'application/x-ndjson' } },
  );
  const { body } = await caller.post('/api/v1/experiments', {
    dataset,
    prompt: 'Say {input}',
    models: MODELS,
    checks: [{ type: 'contains', values: ['{expected}'] }],
    max_cost_usd: 100,
    ...members,
  });
  return body.experiment_id as string;
}

const stateOf = async (caller: Caller, id: string) =>
  (await caller.get(`/api/v1/experiments/${id}`)).body.state as string;

/** The median and the 99th percentile of the milliseconds of live compares, one after the other. */
async function liveCompares(
  caller: Caller,
  isOver: () => Promise<boolean>,
): Promise<{ p50: number; p99: number; count: number }> {
  const times: number[] = [];
  while (times.length < LIVE || !(await isOver())) {
    const begunMs = performance.now();
    const { status } = await caller.compare({ prompt: 'Hello', models: MODELS });
    times.push(performance.now() - begunMs);
    expect(status).toBe(200);
  }
  const sorted = times.sort((left, right) => left - right);
  return {
    p50: sorted[Math.floor(sorted.length / 2)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    count: sorted.length,
  };
}

describe('A large experiment', () => {
  let service: ServiceProcess;
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('experiments_large');
    service = await startService({
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RATE_LIMIT_ESTIMATE_PER_MINUTE: '1000',
      RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
      MAX_EVENT_LOOP_DELAY_MS: '0',
      NODE_OPTIONS: '--max-old-space-size=128',
    });
  });
  afterAll(() => service.stop());

  it(`of ${ROWS} rows and 4 models stays within a bounded memory while it runs, is summarized and exported, and leaves room for live compares`, async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 0 });
    const live = await createCaller({ at: service.url, freeQuota: 0 });
    await liveCompares(live, () => Promise.resolve(true));
    const alone = await liveCompares(live, () => Promise.resolve(true));
    const idle = memoryMib(service.child.pid);
    const highest = { running: 0, summarizing: 0, exporting: 0 };
    let phase: keyof typeof highest = 'running';
    const watch = setInterval(() => {
      highest[phase] = Math.max(highest[phase], Math.round(memoryMib(service.child.pid) - idle));
    }, 20);
    const begunMs = performance.now();
    const id = await start(caller, ROWS);
    const beside = await liveCompares(live, async () => (await stateOf(caller, id)) === 'finished');
    const seconds = (performance.now() - begunMs) / 1000;
    phase = 'summarizing';
    const { body: summary } = await caller.get(`/api/v1/experiments/${id}/summary`);
    phase = 'exporting';
    const { text } = await caller.get(`/api/v1/experiments/${id}/rows`, {
      headers: { accept: 'application/x-ndjson' },
    });
    clearInterval(watch);
    expect([summary.final, summary.rows, text.trim().split('\n').length]).toEqual([true, ROWS, ROWS]);
    process.stdout.write(
      `An experiment of ${ROWS} rows × ${MODELS.length} models: ${JSON.stringify({ seconds: Math.round(seconds), idleMib: Math.round(idle), growthMib: highest, alone, beside, p50: beside.p50 / alone.p50, p99: beside.p99 / alone.p99 })}\n`,
    );
    expect(Math.max(...Object.values(highest))).toBeLessThan(MAX_GROWTH_MIB);
  }, 600_000);

  it('of one user hardly delays a small one of another', async () => {
    const [large, small] = [
      await createCaller({ at: service.url, freeQuota: 0 }),
      await createCaller({ at: service.url, freeQuota: 0 }),
    ];
    const timed = async (caller: Caller) => {
      const begunMs = performance.now();
      const id = await start(caller, 50, { prompt: 'Say {input} [[sim:slow=20]]' });
      await eventually('it has finished', async () => (await stateOf(caller, id)) === 'finished');
      return performance.now() - begunMs;
    };
    const ratio = async () => {
      const alone = await timed(small);
      const other = await start(large, ROWS / 2, { prompt: 'Say {input} [[sim:slow=20]]' });
      const beside = await timed(small);
      expect(await stateOf(large, other)).toBe('running');
      await large.patch(`/api/v1/experiments/${other}`, { state: 'paused' });
      process.stdout.write(
        `50 rows beside ${ROWS / 2} of another user: ${JSON.stringify({ alone, beside, ratio: beside / alone })}\n`,
      );
      return beside / alone;
    };
    await timed(small);
    expect(await leastWithin(MAX_RATIO, ratio)).toBeLessThanOrEqual(MAX_RATIO);
  }, 600_000);
});
