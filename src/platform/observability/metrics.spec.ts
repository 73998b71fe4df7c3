import { AggregatorRegistry } from 'prom-client';
import { Metrics } from './metrics';

const linesOf = async (metrics: Metrics, name: string) =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name));

describe('Metrics', () => {
  test.each([
    'mcs_shared_store_up',
    'mcs_migrations_pending',
    'mcs_meter_events',
    'mcs_task_last_success_timestamp_seconds',
    'mcs_database_connections',
  ])('have no value of %s before anybody knows one', async (name) => {
    expect(await linesOf(new Metrics(), name)).toEqual([]);
  });

  test('say 0 of a task that has only failed so far, and keep its last success when it fails later', async () => {
    const metrics = new Metrics();
    const seconds = async () => (await linesOf(metrics, 'mcs_task_last')).map((line) => Number(line.split(' ')[1]));
    metrics.taskEnded('retention', false);
    expect(await seconds()).toEqual([0]);
    metrics.taskEnded('retention', true);
    const [success] = await seconds();
    expect(success).toBeGreaterThan(1e9);
    metrics.taskEnded('retention', false);
    expect(await seconds()).toEqual([success]);
  });

  test('read the pool at the scrape', async () => {
    const metrics = new Metrics();
    const pool = { totalCount: 5, idleCount: 2, waiting: 7 };
    metrics.watchPool(pool);
    expect(await linesOf(metrics, 'mcs_database_connections')).toEqual([
      'mcs_database_connections{state="used"} 3',
      'mcs_database_connections{state="idle"} 2',
    ]);
    pool.waiting = 8;
    expect(await linesOf(metrics, 'mcs_database_waiting')).toEqual(['mcs_database_waiting 8']);
  });

  test.each([
    ['payment_required', 1],
    ['spend_limit_reached', 1],
    ['rate_limited', 1],
    ['overloaded', 1],
    ['invalid_request', 0],
    ['unavailable', 0],
  ])('call %s a refusal %d times', async (code, times) => {
    const metrics = new Metrics();
    metrics.errorSent(code);
    expect(await linesOf(metrics, 'mcs_errors_total')).toEqual([`mcs_errors_total{code="${code}"} 1`]);
    expect(await linesOf(metrics, 'mcs_refusals_total')).toEqual(
      times === 0 ? [] : [`mcs_refusals_total{reason="${code}"} 1`],
    );
  });

  test('name vendors as OpenTelemetry does, and tell free evals from charged ones', async () => {
    const metrics = new Metrics();
    const call = {
      model: 'm',
      vendorModel: 'v',
      error: null,
      latencyMs: 20,
      ttftMs: null,
      inputTokens: 1,
      outputTokens: 2,
      cost: '0.5' as never,
    };
    for (const vendor of ['gemini', 'mistral', 'xai', 'openai', 'simulator'])
      metrics.modelCallEnded({ ...call, vendor });
    const names = (await linesOf(metrics, 'gen_ai_client_operation_duration_seconds_count')).map(
      (line) => /provider_name="([^"]+)"/.exec(line)?.[1],
    );
    expect(names).toEqual(['gcp.gemini', 'mistral_ai', 'x_ai', 'openai', 'simulator']);
    expect(await linesOf(metrics, 'gen_ai_client_operation_time_to_first_chunk_seconds_count')).toEqual([]);
    metrics.evalStored({ charge: '0.25' as never, isFree: false, overheadMs: 3 });
    metrics.evalStored({ charge: '0' as never, isFree: true, overheadMs: 3 });
    expect([
      ...(await linesOf(metrics, 'mcs_charge_usd_total')),
      ...(await linesOf(metrics, 'mcs_free_evals_total')),
    ]).toEqual(['mcs_charge_usd_total 0.25', 'mcs_free_evals_total 1']);
  });

  test('show at a scrape whatever was recorded before, also of what is written in batches', async () => {
    const metrics = new Metrics();
    const count = async () => linesOf(metrics, 'mcs_database_statement_seconds_count');
    for (let statement = 0; statement < 3; statement += 1) metrics.statementEnded('other', 0.001);
    expect(await count()).toEqual(['mcs_database_statement_seconds_count{statement="other"} 3']);
    expect(await count()).toEqual(['mcs_database_statement_seconds_count{statement="other"} 3']);
  });

  test('keep at most one batch if they are never scraped', () => {
    const metrics = new Metrics();
    const observe = jest.spyOn(metrics.modelTokens, 'observe');
    const call = {
      vendor: 'openai',
      model: 'm',
      vendorModel: 'v',
      error: null,
      latencyMs: 20,
      ttftMs: null,
      inputTokens: 1,
      outputTokens: 2,
      cost: '0.5' as never,
    };
    for (let calls = 0; calls < 499; calls += 1) metrics.modelCallEnded(call);
    expect(observe).not.toHaveBeenCalled();
    metrics.modelCallEnded(call);
    expect(observe).toHaveBeenCalledTimes(2 * 500);
  });

  test('of several workers are added up, but for what they all see of one thing', async () => {
    const workers = [new Metrics(), new Metrics()];
    for (const [index, metrics] of workers.entries()) {
      const value = 3 + 2 * index;
      for (const name of [
        'comparesRunning',
        'streamsOpen',
        'reservationsOpen',
        'databaseWaiting',
        'comparesSuspended',
        'migrationsPending',
        'sharedStoreUp',
        'meterEventsOldest',
      ] as const)
        metrics[name].set(value);
      metrics.meterEvents.set({ state: 'parked' }, value);
      metrics.taskLastSuccess.set({ task: 'retention' }, value);
    }
    const all = AggregatorRegistry.aggregate(
      await Promise.all(workers.map(async ({ registry }) => registry.getMetricsAsJSON())),
    );
    const values = (await all.metrics())
      .split('\n')
      .filter((line) => /^mcs_\w+(\{(state|task|version)=.*\})? \d+$/.test(line))
      .map((line) => line.replace(/version=.*\}/, '…}'));
    expect(values.filter((line) => !line.endsWith(' 0'))).toEqual([
      'mcs_compares_running 8',
      'mcs_streams_open 8',
      'mcs_compares_suspended 5',
      'mcs_reservations_open 8',
      'mcs_database_waiting 8',
      'mcs_migrations_pending 5',
      'mcs_shared_store_up 3',
      'mcs_meter_events{state="parked"} 5',
      'mcs_meter_events_oldest_seconds 5',
      'mcs_task_last_success_timestamp_seconds{task="retention"} 5',
      'mcs_build_info{…} 1',
    ]);
  });
});
