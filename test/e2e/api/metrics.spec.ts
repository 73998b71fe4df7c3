import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../package.json';
import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { rawRequest } from '../../support/raw';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const SWIFT = 'gen_ai_operation_name="chat",gen_ai_provider_name="simulator",gen_ai_request_model="sim-swift"';
const QUILL = SWIFT.replace('swift', 'quill');
const TOKEN = 'metrics-token-0123456789';
/** Wrong tokens; the last is a user's key. */
const WRONG = ['', 'nonsense', `${TOKEN}x`, TOKEN.slice(1), undefined];
/** As many failed authentications as the tests before the one of the limit need: these, and three with two headers. */
const MAX_FAILURES = WRONG.length + 3 + 1;

describe('GET /metrics', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      METRICS_TOKEN: TOKEN,
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: `${MAX_FAILURES}`,
    });
  });
  afterAll(() => service.stop());

  const scrape = async () => (await new Api(TOKEN, service.url).get('/metrics')).text;

  it('accepts only the token when there is one, and answers others in the one error format', async () => {
    const caller = await createCaller({ at: service.url });
    for (const key of WRONG.map((wrong) => wrong ?? caller.key)) {
      const { status, body, headers } = await new Api(key, service.url).get('/metrics');
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(body.error).toMatchObject({ code: 'unauthorized', request_id: headers.get('x-request-id') });
    }
    const { status, headers } = await new Api(TOKEN, service.url).get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers.get('ratelimit')).toBeNull();
  });

  it('accepts no second Authorization header, whichever of the two has the token', async () => {
    const answers = await Promise.all(
      [[TOKEN, 'nonsense'], ['nonsense', TOKEN], [TOKEN, TOKEN], [TOKEN]].map(async (tokens) => {
        const lines = [
          'GET /metrics HTTP/1.1',
          'Host: metrics',
          'Connection: close',
          ...tokens.map((token) => `Authorization: Bearer ${token}`),
        ];
        return (await rawRequest(service.url, `${lines.join('\r\n')}\r\n\r\n`))?.status;
      }),
    );
    expect(answers).toEqual([401, 401, 401, 200]);
  });

  it('counts a wrong token under the limit of failed authentications, which the right one passes', async () => {
    const guess = () => new Api('nonsense', service.url).get('/metrics');
    let last = await guess();
    for (let guesses = 1; guesses <= MAX_FAILURES && last.status === 401; guesses += 1) last = await guess();
    expect([last.status, last.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await new Api(TOKEN, service.url).get('/metrics')).status).toBe(200);
    expect((await new Api('mcs_nonsense', service.url).get('/api/v1/usage')).status).toBe(429);
  });

  it('counts requests by the pattern of their route, and nothing that a caller has invented', async () => {
    const caller = await createCaller({ at: service.url });
    for (const path of ['/api/v1/evals/eval_MARKER1', '/MARKER2', '/api/v1/models?MARKER3=1'])
      await caller.get(path, { headers: { 'x-request-id': 'MARKER4-0123' } });
    await caller.compare({ prompt: 'MARKER5', models: ['MARKER6'] });
    const text = await scrape();
    for (const line of [
      'http_server_request_duration_seconds_count{http_route="/api/v1/evals/:id",http_request_method="GET",http_response_status_code="404"} 1',
      'http_server_request_duration_seconds_count{http_request_method="_OTHER",http_response_status_code="404"} 1',
      'http_server_request_duration_seconds_count{http_route="/api/v1/models",http_request_method="GET",http_response_status_code="200"} 1',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).toMatch(/^mcs_compares_total\{outcome="unknown_model"\} 1$/m);
    expect(text).not.toContain('MARKER');
  });

  it('reports compares, model calls, tokens and vendor cost', async () => {
    const caller = await createCaller({ at: service.url });
    // With details, so that the time to the first text is measured.
    const { body } = await caller.post('/api/v1/compare?include=details', {
      prompt: '[[sim-quill:fail=overloaded]]',
      models: ['sim-swift', 'sim-quill'],
    });
    await caller.compare({ prompt: '[[sim:fail=unavailable]]', models: ['sim-swift'] });
    const text = await scrape();
    for (const line of [
      'mcs_compares_total{outcome="stored"} 1',
      'mcs_compares_total{outcome="all_models_failed"} 1',
      'mcs_compares_running 0',
      `gen_ai_client_operation_duration_seconds_count{${SWIFT}} 1`,
      `gen_ai_client_operation_duration_seconds_count{${SWIFT},error_type="unavailable"} 1`,
      `gen_ai_client_operation_duration_seconds_count{${QUILL},error_type="overloaded"} 1`,
      `gen_ai_client_operation_time_to_first_chunk_seconds_count{${SWIFT}} 1`,
      `gen_ai_client_token_usage_sum{${SWIFT},gen_ai_token_type="input"} ${body.results[0].input_tokens}`,
      `gen_ai_client_token_usage_sum{${SWIFT},gen_ai_token_type="output"} ${body.results[0].output_tokens}`,
      `mcs_vendor_cost_usd_total{provider="simulator",model="sim-swift"} ${body.meta.total_cost_usd}`,
      'mcs_vendor_attempts_total{provider="simulator",reason="first"} 3',
      'mcs_vendor_attempts_total{provider="simulator",reason="overloaded"} 2',
      'mcs_vendor_attempts_total{provider="simulator",reason="unavailable"} 2',
      'mcs_errors_total{code="all_models_failed"} 1',
      'mcs_free_evals_total 1',
      'mcs_charge_usd_total 0',
      'mcs_compare_overhead_seconds_count 1',
      'mcs_streams_open 0',
    ])
      expect(text.split('\n')).toContain(line);
    for (const statement of ['find_key', 'settle', 'other'])
      expect(text).toMatch(
        new RegExp(`^mcs_database_statement_seconds_count\\{statement="${statement}"\\} [1-9]`, 'm'),
      );
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
});

/** Those of a service with RETENTION_DAYS. */
const TASKS = [
  'ended_runs',
  'ended_shares',
  'experiment_counts',
  'experiment_erasure',
  'expired_reservations',
  'idempotency_keys',
  'retention',
  'runs',
  'schema',
];

/** The tasks that have ended a round, each with the time. */
const tasks = (text: string) => [...text.matchAll(/^mcs_task_last_success_timestamp_seconds\{task="(\w+)"\} (\S+)$/gm)];

describe('GET /metrics', () => {
  it('shows the pool, the schema, the build and the periodic tasks, and nothing about unused parts', async () => {
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', RETENTION_DAYS: '9000' });
    const begunSeconds = Date.now() / 1000 - 60;
    const read = async () => (await new Api(undefined, service.url).get('/metrics')).text;
    await eventually('every task has ended a round', async () => tasks(await read()).length === TASKS.length);
    const text = await read();
    expect(
      tasks(text)
        .map(([, task]) => task)
        .sort(),
    ).toEqual(TASKS);
    for (const [, , seconds] of tasks(text)) expect(Number(seconds)).toBeGreaterThan(begunSeconds);
    const connections = [...text.matchAll(/^mcs_database_connections\{state="(?:used|idle)"\} (\d+)$/gm)].map(
      ([, count]) => Number(count),
    );
    expect(connections).toHaveLength(2);
    expect(Math.max(...connections)).toBeGreaterThan(0);
    for (const line of [
      'mcs_migrations_pending 0',
      'mcs_database_waiting 0',
      'mcs_reservations_open 0',
      `mcs_build_info{version="${version}",commit="${readFileSync(join(__dirname, '../../../dist/commit'), 'utf8').trim()}",node="${process.version}"} 1`,
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).not.toMatch(/^mcs_(shared_store_up|meter_events)/m);
    expect(text).not.toMatch(/^nodejs_active_(handles|requests|resources)_total/m);
    await service.stop();
  });

  it('says how many reservations are held', async () => {
    const [caller, operator] = [await createCaller(), new Api(undefined)];
    const value = async (name: string) =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await operator.get('/metrics')).text)?.[1]);
    const slow = caller.compare(
      { prompt: '[[sim:slow=3000]]', models: ['sim-swift'] },
      { headers: { 'idempotency-key': 'held' } },
    );
    await eventually('it holds one', async () => (await value('mcs_reservations_open')) === 1);
    await slow;
    await eventually('it holds none', async () => (await value('mcs_reservations_open')) === 0);
  });
});

describe('GET /metrics without METRICS_TOKEN', () => {
  it('is public outside production, and absent in production', async () => {
    expect((await new Api(undefined).get('/metrics')).status).toBe(200);
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', NODE_ENV: 'production' });
    try {
      const { status, body } = await new Api(undefined, service.url).get('/metrics');
      expect(status).toBe(404);
      expect(body.error.code).toBe('not_found');
    } finally {
      await service.stop();
    }
  });
});
