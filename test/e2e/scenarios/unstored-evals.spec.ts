import type { Answer, Json } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { restoreLog, reservationsOf, verifyLedger } from '../../support/ledger';
import { PausableProxy } from '../../support/pausable-proxy';
import { startService, type ServiceProcess } from '../../support/service';

const MARKER = 'words-of-the-caller';
const COMPARE = {
  prompt: `[[sim:slow=2500]] ${MARKER}`,
  models: ['sim-swift', 'sim-quill'],
  checks: [{ type: 'equals', value: MARKER }],
};

/** The same with checks, of which each model fails one, and with samples. */
const SAMPLED = {
  ...COMPARE,
  models: ['sim-swift', 'sim-quill'],
  options: {
    samples: 2,
    system: 'Be brief.',
    response_format: { type: 'json_schema', schema: { type: 'object', properties: { b: {}, a: {} } } },
  },
  checks: [
    { type: 'contains', values: [`check-${MARKER}`], not: true },
    { type: 'regex', pattern: `^${MARKER}$`, weight: 3 },
    { type: 'cost', max_usd: 1e-12 },
    { type: 'json', schema: { 'x-b': 1, 'x-a': [{ d: 1, c: 2 }] } },
  ],
};

describe('An eval that cannot be stored at once', () => {
  let databaseUrl: string;
  let proxy: PausableProxy;
  let service: ServiceProcess;
  let caller: Caller;

  const services = new Map<string, ServiceProcess>();
  /** How many such events of a service were looked at. */
  const logged = new Map<ServiceProcess, number>();
  beforeAll(async () => {
    databaseUrl = await ownDatabase('unstored');
    proxy = await PausableProxy.inFrontOf(databaseUrl);
  });
  afterEach(() => proxy.resume());
  afterAll(async () => {
    for (const one of services.values()) await one.stop();
    await proxy.close();
  });

  /** Creates a caller at the service with these settings, which serves all tests that need them. */
  async function start(variables: Record<string, string>): Promise<void> {
    const key = JSON.stringify(variables);
    service =
      services.get(key) ??
      (await startService({ DATABASE_URL: proxy.url, SIMULATOR: 'on', DATABASE_TIMEOUT_MS: '3000', ...variables }));
    services.set(key, service);
    caller = await createCaller({ at: service.url, freeQuota: 0, hasPaymentMethod: true, monthlySpendLimitUsd: 1000 });
  }

  /** A compare during which the database becomes unreachable, after the reservation and before the answers. */
  async function parted(order: object = COMPARE): Promise<{ running: Promise<Answer<Json>> }> {
    const running = caller.post('/api/v1/compare?include=checks,statistics', order);
    await eventually('the reservation is made', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
    proxy.refused = 0;
    proxy.pause();
    return { running };
  }

  const stored = () =>
    onDatabase(
      databaseUrl,
      async (client) =>
        (
          await client.query<{ id: string; charge: string }>(
            'select e.id, c.charge from charges c join evals e on e.id = c.eval_id where c.user_id = $1',
            [caller.userId],
          )
        ).rows,
    );

  /** The last event of the log about an eval that was not stored, when it has come. */
  async function notStored(): Promise<string> {
    const lines = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes('eval-not-stored'));
    const had = logged.get(service) ?? 0;
    await eventually('it is logged', () => lines().length > had);
    logged.set(service, lines().length);
    return lines().at(-1) ?? '';
  }

  /** The eval is stored once, is charged, and the month agrees. */
  async function expectChargedOnce(evalId: string): Promise<void> {
    const rows = await stored();
    expect(rows).toEqual([{ id: evalId, charge: expect.stringMatching(/[1-9]/) }]);
    expect(await caller.usage()).toMatchObject({ eval_count: 1, total_charge_usd: Number(rows[0]?.charge) });
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  }

  it('waits for the database until its deadline and is charged once', async () => {
    await start({ EVAL_TIMEOUT_MS: '20000' });
    const { running } = await parted();
    await eventually('it was tried to store it, more than once', () => proxy.refused >= 3);
    proxy.resume();
    const answer = await running;
    expect(answer.status).toBe(200);
    await expectChargedOnce(answer.body.eval_id);
    expect(service.output()).not.toContain('eval-not-stored');
  });

  it('is found when it was committed and only the response of the database was lost', async () => {
    await start({ EVAL_TIMEOUT_MS: '20000' });
    // On new connections, since a statement that is prepared already is sent without its text.
    proxy.pause();
    proxy.resume();
    const sent = proxy.dropResponseTo('insert into evals');
    const running = caller.compare(COMPARE);
    await sent;
    await eventually('it is committed', async () => (await stored()).length === 1);
    proxy.pause();
    proxy.resume();
    const answer = await running;
    expect(answer.status).toBe(200);
    await expectChargedOnce(answer.body.eval_id);
  });

  it('is found by its charge where no text is stored, and only the response of the database was lost', async () => {
    await start({ EVAL_TIMEOUT_MS: '20000' });
    proxy.pause();
    proxy.resume();
    const sent = proxy.dropResponseTo('insert into erased_evals');
    const running = caller.post('/api/v1/compare?include=details', { ...COMPARE, options: { store: false } });
    await sent;
    await eventually('it is committed', async () => (await caller.usage()).eval_count === 1);
    proxy.pause();
    proxy.resume();
    const { status, body } = await running;
    expect([status, body.prompt, body.details.charge_usd]).toEqual([
      200,
      COMPARE.prompt,
      (await caller.usage()).total_charge_usd,
    ]);
    expect(body.details.charge_usd).toBeGreaterThan(0);
    expect(await caller.usage()).toMatchObject({ eval_count: 1 });
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('keeps its samples and their verdicts, as answered', async () => {
    await start({ EVAL_TIMEOUT_MS: '20000' });
    const { running } = await parted(SAMPLED);
    await eventually('it was tried to store it', () => proxy.refused >= 1);
    proxy.resume();
    const answer = await running;
    expect([answer.status, answer.body.results.length, answer.body.checks.by_model[0]]).toEqual([
      200,
      4,
      { model: 'sim-swift', passed: 2, failed: 6, errored: 0, score: 0.166667 },
    ]);
    await expectChargedOnce(answer.body.eval_id);
    expect((await caller.get(`/api/v1/evals/${answer.body.eval_id}?include=checks,statistics`)).text).toBe(answer.text);
  });

  it.each(['false', 'true'])(
    'is one event of the log when its time is up, and can be replayed where prompts are logged (%s)',
    async (LOG_PROMPTS) => {
      await start({ EVAL_TIMEOUT_MS: '5000', LOG_PROMPTS });
      const { running } = await parted();
      const refusal = await running;
      expect(refusal).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      proxy.resume();
      const metrics = (await caller.get('/metrics')).text;
      expect(metrics).toMatch(/^mcs_unstored_evals_total 1$/m);
      const line = await notStored();
      expect(service.output().match(/eval-not-stored/g)).toHaveLength(1);
      expect(Number(/^mcs_unstored_vendor_cost_usd_total (\S+)$/m.exec(metrics)?.[1])).toBe(
        Number(JSON.parse(line).cost),
      );
      expect(line.includes(MARKER)).toBe(LOG_PROMPTS === 'true');
      expect(await stored()).toEqual([]);

      const { evalId } = JSON.parse(line) as { evalId: string };
      const first = await restoreLog(databaseUrl, service.output());
      if (LOG_PROMPTS === 'false') {
        expect(first).toEqual({
          status: 1,
          output: expect.stringContaining(
            'its prompt and outputs were not logged (LOG_PROMPTS), so there is no eval to store.',
          ),
        });
        expect(await stored()).toEqual([]);
        return;
      }
      expect(first).toEqual({ status: 0, output: expect.stringMatching(`${evalId}: stored, charged 0\\.\\d+ USD`) });
      await expectChargedOnce(evalId);
      expect((await caller.get(`/api/v1/evals/${evalId}`)).body).toMatchObject({
        prompt: COMPARE.prompt,
        results: [{ model: 'sim-swift' }, { model: 'sim-quill' }],
      });
      expect(await restoreLog(databaseUrl, service.output())).toEqual({
        status: 0,
        output: expect.stringContaining(`${evalId}: was stored already`),
      });
      await expectChargedOnce(evalId);
    },
  );

  it('is restored without its texts, which the log does not have, where none are to be stored', async () => {
    await start({ EVAL_TIMEOUT_MS: '5000', LOG_PROMPTS: 'true' });
    const { running } = await parted({ ...COMPARE, options: { store: false, system: MARKER } });
    expect((await running).status).toBe(503);
    proxy.resume();
    const line = await notStored();
    expect(line).not.toContain(MARKER);
    const { evalId } = JSON.parse(line) as { evalId: string };
    expect(await restoreLog(databaseUrl, line)).toEqual({
      status: 0,
      output: expect.stringMatching(`${evalId}: stored, charged 0\\.\\d+ USD`),
    });
    expect(await restoreLog(databaseUrl, line)).toEqual({
      status: 0,
      output: expect.stringContaining(`${evalId}: was stored already`),
    });
    expect([(await caller.usage()).eval_count, (await caller.get(`/api/v1/evals/${evalId}`)).status]).toEqual([1, 404]);
    expect(await verifyLedger(databaseUrl)).toMatchObject({ status: 0 });
  });

  it('is restored with its samples, its checks and their verdicts, which the log contains only if prompts are logged', async () => {
    await start({ EVAL_TIMEOUT_MS: '5000', LOG_PROMPTS: 'true' });
    const { running } = await parted(SAMPLED);
    expect((await running).status).toBe(503);
    proxy.resume();
    const line = JSON.parse(await notStored());
    expect(await restoreLog(databaseUrl, service.output())).toMatchObject({ status: 0 });
    await expectChargedOnce(line.evalId);
    const { body } = await caller.get(`/api/v1/evals/${line.evalId}?include=checks,statistics,details`);
    expect(JSON.stringify(body.details.options.response_format)).toBe(JSON.stringify(SAMPLED.options.response_format));
    expect(body.details.options.system).toBe('Be brief.');
    expect([body.details.options.samples, body.results.map(({ model }: Json) => model)]).toEqual([
      2,
      ['sim-swift', 'sim-quill', 'sim-swift', 'sim-quill'],
    ]);
    expect(body.results.map(({ output }: Json) => output)).toEqual(line.texts.outputTexts);
    expect(body.results.map(({ checks }: Json) => checks)).toEqual(line.texts.verdicts);
    expect(body.results[3].checks.map(({ outcome }: Json) => outcome)).toEqual(['pass', 'fail', 'fail', 'fail']);
    expect(body.checks.definitions).toEqual([
      {
        name: 'contains-1',
        type: 'contains',
        weight: 1,
        not: true,
        ignore_case: false,
        mode: 'all',
        values: [`check-${MARKER}`],
      },
      { name: 'regex-2', type: 'regex', weight: 3, not: false, flags: '', pattern: `^${MARKER}$` },
      { name: 'cost-3', type: 'cost', weight: 1, not: false, max_usd: 1e-12 },
      {
        name: 'json-4',
        type: 'json',
        weight: 1,
        not: false,
        allow_fence: true,
        schema: { 'x-a': [{ c: 2, d: 1 }], 'x-b': 1 },
      },
    ]);
    expect(body.statistics.models.map(({ checks }: Json) => checks)).toEqual(
      [1, 2].map(() => ({ passed: 0, of: 2, rate: 0, ci: [0, 0.65762], method: 'wilson' })),
    );
  });
});
