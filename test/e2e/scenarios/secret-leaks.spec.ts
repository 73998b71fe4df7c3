import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_SETTINGS } from '../../../src/platform/config/setting-files';
import { Api } from '../../support/api';
import { freshDatabase, onDatabase } from '../../support/database';
import { endedExperiment } from '../../support/ended-experiment';
import { startEchoServer, type EchoServer } from '../../support/echo-server';
import { LeakDetector, DATABASE_PASSWORD, OWN_TEXTS, SECRETS, vendorSecrets } from '../../support/leak-detector';
import { malformedRequests } from '../../support/malformed';
import { startService, TEST_SECRETS, type ServiceProcess } from '../../support/service';
import { temporaryFolder } from '../../support/temporary-folder';
import { FAULTS, vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

const MODELS = [
  'gpt-6.2-sol',
  'claude-sonnet-5-5',
  'claude-haiku-4-5',
  'gemini-3.5-flash',
  'mistral-small-2603',
  'deepseek-v4-pro',
  'grok-4.3',
  'groq/gpt-oss-120b',
  'openrouter/glm-5.3',
  'local/llama3.2',
];
const STATUSES = [200, 400, 401, 402, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 529];
const OWN = Object.values(OWN_TEXTS);
const NAME = `mcs_leaks_${process.env['JEST_WORKER_ID']}`;
/** Nothing but files gives the secrets. */
const NOT_SET = Object.fromEntries(Object.keys(TEST_SECRETS).map((name) => [name, '']));
const OPEN = ['/health/live', '/health/ready', '/docs', '/docs-json', '/metrics', '/'];

const detector = new LeakDetector();
const running: ServiceProcess[] = [];
const keys: string[] = [];
let databaseUrl: string;
let echo: EchoServer;

/** The same settings, from files where allowed: values from files must be as safe. */
function inFiles(settings: Readonly<Record<string, string>>): Record<string, string> {
  const folder = temporaryFolder();
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (!FILE_SETTINGS.includes(name)) return [name, value];
      writeFileSync(join(folder, name), `${value}\n`);
      return [`${name}_FILE`, join(folder, name)];
    }),
  );
}

/** A service full of secrets, at its most talkative. */
async function start(variables: Record<string, string>): Promise<ServiceProcess> {
  const service = await startService({
    ...NOT_SET,
    ...inFiles({ ...SECRETS, DATABASE_URL: databaseUrl }),
    MIGRATE_ON_START: 'true',
    LOG_LEVEL: 'trace',
    MAX_VENDOR_RETRIES: '0',
    MODEL_TIMEOUT_MS: '2000',
    MAX_MODELS: '10',
    RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '10000',
    STRIPE_STAND_IN: echo.url,
    ...variables,
  });
  running.push(service);
  return service;
}

async function aUserOf(url: string): Promise<Api> {
  const admin = new Api(SECRETS.ADMIN_API_KEY, url);
  const user = await detector.request(admin, 'POST', '/api/v1/admin/users', {
    email: `${crypto.randomUUID()}@example.com`,
  });
  // The one answer that shows a key.
  const issued = await admin.post(`/api/v1/admin/users/${user.body.id}/keys`, { name: 'one' });
  keys.push(issued.body.api_key as string);
  return new Api(issued.body.api_key, url);
}

async function compare(
  user: Api,
  prompt: string,
  headers: Record<string, string> = {},
  models: readonly string[] = MODELS,
): Promise<void> {
  detector.faults += models.length;
  await detector.request(
    user,
    'POST',
    '/api/v1/compare?include=details',
    { prompt: `${prompt} ${OWN_TEXTS.prompt}`, input: OWN_TEXTS.input, models },
    { headers, allowed: OWN },
  );
}

/** Shares an eval by links that show and hide its texts, and looks at them without a key. */
async function shareAndView(user: Api, subject: string): Promise<void> {
  const viewer = new Api(undefined, user.url);
  for (const redact of [[], ['prompt'], ['prompt', 'outputs', 'costs', 'models']]) {
    // The one answer that shows a token.
    const {
      body: { token, share_id: id },
    } = await user.post('/api/v1/shares', { subject, redact });
    keys.push(token as string);
    await detector.request(viewer, 'GET', `/api/v1/shared/${token}`, undefined, {
      allowed: redact.includes('prompt') ? [] : OWN,
    });
    for (const path of [
      `/shared/${token}`,
      `/api/v1/shared/${token}/more`,
      `/api/v1/shared/${token.replaceAll('_', '%5F')}x`,
    ])
      await detector.request(viewer, 'GET', path, undefined, { allowed: OWN });
    await detector.request(user, 'GET', `/api/v1/evals/${subject}/drift?against=${subject}`);
    await detector.request(user, 'GET', `/api/v1/evals/${subject}/projection`);
    await detector.request(user, 'GET', '/api/v1/shares');
    await detector.request(user, 'DELETE', `/api/v1/shares/${id}`);
    await detector.request(viewer, 'GET', `/api/v1/shared/${token}`);
  }
}

/** Reads and votes on an experiment as its user, and tries the same as another one. */
async function readAndVote(user: Api, other: Api, [id, of]: readonly [string, string]): Promise<void> {
  const path = `/api/v1/experiments/${id}`;
  const { ballot } = (await detector.request(user, 'GET', `${path}/ballot`, undefined, { allowed: OWN })).body;
  const vote = { ballot: ballot ?? 'mcs_ballot_x', winner: 'tie' };
  for (const what of ['', '/rows', '/summary', '/report', '/rows?state=failed'])
    await detector.request(user, 'GET', path + what, undefined, { allowed: OWN });
  await detector.request(user, 'POST', `${path}/votes`, vote, { allowed: OWN });
  for (const what of ['', '/rows', '/summary', '/report', '/ballot', `/comparison?against=${of}`])
    expect((await detector.request(other, 'GET', path + what)).status).toBe(404);
  const judge = { of: id, kind: 'rubric', models: ['sim-titan'], criterion: 'It is kind.' };
  for (const [method, where, body] of [
    ['POST', `${path}/votes`, vote],
    ['PATCH', path, { state: 'paused' }],
    ['DELETE', path, undefined],
    ['POST', '/api/v1/experiments', { judge, max_cost_usd: 1 }],
    ['POST', '/api/v1/experiments/estimate', { judge }],
  ] as const)
    expect((await detector.request(other, method, where, body)).status).toBe(404);
}

beforeAll(async () => {
  echo = await startEchoServer();
  const url = new URL(await freshDatabase(worker().postgresUrl, NAME));
  await onDatabase(worker().postgresUrl, async (client) => {
    await client.query(
      `do $$ begin if not exists (select 1 from pg_roles where rolname = '${NAME}') then create role ${NAME} superuser login password '${DATABASE_PASSWORD}'; end if; end $$`,
    );
  });
  [url.username, url.password] = [NAME, DATABASE_PASSWORD];
  databaseUrl = url.toString();
});

afterAll(async () => {
  await Promise.all(running.map((service) => service.stop()));
  await echo.close();
  await onDatabase(worker().postgresUrl, async (client) => {
    await client.query(`drop database ${NAME} with (force)`);
    await client.query(`drop role ${NAME}`);
  });
  process.stdout.write(
    `secret leaks: ${detector.answers} answers, ${detector.lines} log lines, ${detector.faults} faults, ${detector.total} found\n`,
  );
});

/** All that has been printed and answered so far holds no secret. */
function expectSilence(service: ServiceProcess): void {
  detector.checkOutput('the service', service.output(), keys);
  expect(detector.takeLeaks()).toEqual([]);
}

describe('The service', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await start(vendorSecrets(worker().vendorUrl));
  });

  it('discloses no secret whatever error a vendor causes, in JSON or as SSE', async () => {
    const user = await aUserOf(service.url);
    for (const fault of FAULTS) {
      await Promise.all(
        ['application/json', 'text/event-stream'].map((accept) =>
          compare(user, vendorScript(crypto.randomUUID(), { '*': { fault } }), { accept }),
        ),
      );
    }
    const {
      evals: [stored],
    } = (await detector.request(user, 'GET', '/api/v1/evals', undefined, { allowed: OWN })).body;
    await shareAndView(user, stored.eval_id);
    for (const path of OPEN) await detector.request(new Api(undefined, service.url), 'GET', path);
    expectSilence(service);
  });

  it('discloses no secret when vendors and the payment provider echo all that they were sent', async () => {
    const echoed = await start(vendorSecrets(echo.url));
    const user = await aUserOf(echoed.url);
    for (const status of STATUSES) await compare(user, `[[echo:${status}]]`);
    await detector.request(user, 'POST', '/api/v1/billing/payment-method');
    for (const signature of ['', 't=1,v1=MARKER', SECRETS.STRIPE_WEBHOOK_SECRET]) {
      await detector.request(
        new Api(undefined, echoed.url),
        'POST',
        '/api/v1/billing/webhooks/stripe',
        { id: 'evt_1', type: 'x' },
        { headers: { 'stripe-signature': signature } },
      );
    }
    expectSilence(echoed);
  });

  it('discloses nothing of what checks look for, but to their own caller', async () => {
    const [user, other, admin] = [
      await aUserOf(service.url),
      await aUserOf(service.url),
      new Api(SECRETS.ADMIN_API_KEY, service.url),
    ];
    const own = OWN_TEXTS.input;
    // Checks that pass, fail, take too long, or are unusable.
    const good = [
      { type: 'equals', value: own },
      { type: 'contains', values: [own] },
      { type: 'regex', pattern: own },
      { type: 'json', schema: { const: own } },
      { type: 'similarity', value: own, min: 0 },
      { type: 'json', name: 'schema', schema: { properties: { [own]: { pattern: own } }, required: [own] } },
      { type: 'regex', name: 'slow', pattern: `${own}|x[a-y]{450}y$` },
    ];
    const bad: object[] = [
      { type: 'regex', pattern: `${own}(` },
      { type: 'regex', pattern: own, flags: own },
      { type: 'json', schema: { $ref: `#/$defs/${own}` } },
      { type: 'json', schema: { $ref: `http://${own}` } },
      { type: 'json', schema: { type: own } },
      { type: 'json', schema: { pattern: `(?=${own})` } },
      { type: own },
      { type: 'contains', values: own },
      { type: 'equals', value: { own } },
      { type: 'finished', [own]: 1 },
      { type: 'finished', name: own },
    ];
    for (const accept of ['application/json', 'text/event-stream']) {
      await detector.request(
        user,
        'POST',
        '/api/v1/compare?include=checks,statistics',
        { prompt: `${own} ${'xyab'.repeat(7500)}`, models: ['sim-swift'], checks: good },
        { headers: { accept }, allowed: OWN },
      );
    }
    const {
      evals: [{ eval_id: id }],
    } = (await detector.request(user, 'GET', '/api/v1/evals', undefined, { allowed: OWN })).body;
    for (const output of [own, `{"${own}": 1}`, 'xyab'.repeat(7500)])
      await detector.request(
        user,
        'POST',
        '/api/v1/checks',
        { checks: good, output, input: own, expected: own },
        { allowed: OWN },
      );
    for (const check of bad)
      for (const [path, body] of [
        ['/api/v1/compare', { prompt: 'x', models: ['sim-swift'] }],
        ['/api/v1/checks', { output: 'x' }],
      ] as const) {
        expect(
          (await detector.request(user, 'POST', path, { ...body, checks: [check] }, { allowed: OWN })).status,
        ).toBe(400);
      }
    await shareAndView(user, id);
    for (const path of ['', '?include=checks', '/agreement', '/drift', '/projection?calls_per_month=1'])
      await detector.request(other, 'GET', `/api/v1/evals/${id}${path}`);
    await detector.request(user, 'DELETE', `/api/v1/evals/${id}`);
    for (const path of ['/api/v1/admin/audit', '/api/v1/admin/users', '/metrics'])
      await detector.request(admin, 'GET', path, undefined, { allowed: ['127.0.0.1'] });
    expectSilence(service);
  });

  it('discloses nothing of what judges are asked, say or are voted on, but to their own caller', async () => {
    const [user, other, admin] = [
      await aUserOf(service.url),
      await aUserOf(service.url),
      new Api(SECRETS.ADMIN_API_KEY, service.url),
    ];
    const { prompt: own, input } = OWN_TEXTS;
    const send = async (method: string, path: string, body?: object) =>
      detector.request(user, method, path, body, { allowed: OWN });
    const ended = async (id: string) => {
      await send('GET', `/api/v1/experiments/${id}`);
      await endedExperiment(user, id);
      return id;
    };
    const rows = [0, 1].map((no) => ({ id: `${input}-${no}`, group: input, input: `${input} ${no}`, expected: input }));
    const dataset = (await send('POST', '/api/v1/datasets', { rows })).body.dataset_id as string;
    const rubric = { type: 'rubric', criterion: `It says ${own} {expected}.`, judge: 'sim-titan' };
    const asking = {
      ...{ dataset, prompt: `{input} [[sim:say=${input}]]`, models: ['sim-swift', 'sim-quill'] },
      ...{ checks: [rubric], max_cost_usd: 10 },
    };
    const of = await ended((await send('POST', '/api/v1/experiments', asking)).body.experiment_id);
    const ids = [of];
    for (const script of [
      '[[sim:judge=obeys]]',
      `[[sim:say=${own} says the judge]]`,
      '[[sim:echo]]',
      '[[sim:fail]]',
      '[[sim:refusal]]',
      ...FAULTS.slice(0, 4).map((fault) => vendorScript(crypto.randomUUID(), { '*': { fault } })),
    ]) {
      const judge = { of, kind: 'pairwise', models: [script.startsWith('[[sim') ? 'sim-titan' : 'gpt-6.2-sol'] };
      const body = { name: own, judge: { ...judge, criterion: `${own} ${script}` }, max_cost_usd: 10 };
      await send('POST', '/api/v1/experiments/estimate', body);
      ids.push(await ended((await send('POST', '/api/v1/experiments', body)).body.experiment_id));
    }
    for (const wrong of [
      { criterion: own.repeat(1000) },
      { baseline: own },
      { kind: own },
      { models: [own] },
      { [own]: 1 },
    ])
      await send('POST', '/api/v1/experiments', {
        judge: { of, kind: 'pairwise', models: ['sim-titan'], criterion: own, ...wrong },
        max_cost_usd: 1,
      });
    // Postgres quotes a refused row in its error.
    await onDatabase(databaseUrl, (client) =>
      client.query(
        `alter table experiments add constraint poison check (name is null or name <> '${input}') not valid`,
      ),
    );
    const refused = { of, kind: 'rubric', models: ['sim-titan'], criterion: own };
    expect((await send('POST', '/api/v1/experiments', { name: input, judge: refused, max_cost_usd: 1 })).status).toBe(
      500,
    );
    await onDatabase(databaseUrl, (client) => client.query('alter table experiments drop constraint poison'));
    for (const id of ids) await readAndVote(user, other, [id, of]);
    await detector.request(other, 'GET', '/api/v1/experiments');
    await send('DELETE', `/api/v1/experiments/${of}`);
    for (const path of ['/api/v1/admin/audit', '/api/v1/admin/users', '/metrics'])
      await detector.request(admin, 'GET', path, undefined, { allowed: ['127.0.0.1'] });
    expectSilence(service);
  });

  it('discloses no secret when vendors cannot be reached', async () => {
    const unreachable = [
      'http://127.0.0.1:1/MARKER/v1',
      'http://MARKER.invalid/v1',
      'http://127.0.0.1:9/v1',
      'http://[::1]:1/v1',
    ];
    const bases = Object.keys(vendorSecrets(''))
      .filter((name) => name.endsWith('_BASE_URL'))
      .map((name, index) => [name, unreachable[index % unreachable.length]]);
    const alone = await start({ ...vendorSecrets(''), ...(Object.fromEntries(bases) as Record<string, string>) });
    await compare(await aUserOf(alone.url), 'hello');
    expectSilence(alone);
  });

  it('discloses no secret when requests are malformed, keys are wrong and fields are invalid', async () => {
    const user = await aUserOf(service.url);
    for (const { what, bytes } of malformedRequests(user.key ?? ''))
      await detector.requestRaw(service.url, what, bytes);
    for (const key of [`${user.key}x`, 'MARKER', `${SECRETS.ADMIN_API_KEY}x`])
      for (const path of ['/api/v1/usage', '/api/v1/admin/users'])
        await detector.request(new Api(key, service.url), 'GET', path);
    for (const body of [
      '{"prompt":"MARKER',
      { prompt: OWN_TEXTS.prompt, models: [7] },
      { prompt: [OWN_TEXTS.prompt], models: ['sim-swift'] },
      { prompt: 'x', models: ['sim-swift'], input: { a: OWN_TEXTS.input } },
    ]) {
      await detector.request(user, 'POST', '/api/v1/compare', body);
    }
    await detector.request(user, 'GET', `/api/v1/usage?month=${OWN_TEXTS.prompt}`);
    await detector.request(user, 'GET', `/api/v1/evals?cursor=${OWN_TEXTS.prompt}`);
    expectSilence(service);
  });

  it('discloses no secret when the database refuses, disconnects or is unreachable', async () => {
    const broken = await start(vendorSecrets(worker().vendorUrl));
    const user = await aUserOf(broken.url);
    const admin = new Api(SECRETS.ADMIN_API_KEY, broken.url);
    const everything = async () => {
      for (const path of ['/api/v1/evals', '/api/v1/usage', '/api/v1/usage/statement', '/api/v1/models'])
        await detector.request(user, 'GET', path, undefined, { allowed: OWN }).catch(() => undefined);
      for (const path of ['/api/v1/admin/users', '/api/v1/admin/users/some-id'])
        await detector.request(admin, 'GET', path);
      await detector.request(admin, 'POST', '/api/v1/admin/users', { email: 'somebody@example.com' });
      await compare(user, 'hello', {}, ['sim-swift']);
      await detector.request(new Api(undefined, broken.url), 'GET', '/health/ready');
    };
    const breakages = [
      'alter table evals add constraint broken check (false) not valid',
      'alter table evals drop constraint broken; alter table evals rename to evals_gone',
      'alter table evals_gone rename to evals; alter table users rename to users_gone',
      'alter table users_gone rename to users; alter table reservations rename to reservations_gone',
      `alter role ${NAME} nologin; select pg_terminate_backend(pid) from pg_stat_activity where usename = '${NAME}'`,
    ];
    const asSuperuser = new URL(worker().postgresUrl);
    asSuperuser.pathname = `/${NAME}`;
    for (const breakage of breakages) {
      await onDatabase(asSuperuser.toString(), (client) => client.query(breakage));
      await everything();
    }
    await onDatabase(asSuperuser.toString(), (client) =>
      client.query(`alter role ${NAME} login; alter table reservations_gone rename to reservations`),
    );
    expectSilence(broken);
  });

  it('discloses no secret when it cannot start', () => {
    const withUrl = (change: (url: URL) => void) => {
      const url = new URL(databaseUrl);
      change(url);
      return { DATABASE_URL: url.toString() };
    };
    const failures: [Record<string, string>, exitCode: number][] = [
      [
        withUrl((url) => {
          url.password = 'MARKERwrong';
          url.username = 'nobody';
        }),
        78,
      ],
      [
        withUrl((url) => {
          url.port = '1';
        }),
        1,
      ],
      [
        withUrl((url) => {
          url.hostname = 'nowhere.invalid';
        }),
        1,
      ],
      [{ DATABASE_URL: 'postgresql:MARKER' }, 78],
      [{ MODEL_CATALOG_FILE: join(__dirname, 'secret-leaks.spec.ts') }, 78],
      [
        Object.fromEntries(
          [
            'DATABASE_URL',
            'PORT',
            'OPENAI_BASE_URL',
            'BILLING_MARGIN',
            'CORS_ORIGINS',
            'DRAIN_SECONDS',
            'LOG_LEVEL',
          ].map((name) => [name, 'MARKER']),
        ),
        78,
      ],
    ];
    for (const [failure, exitCode] of failures) {
      detector.faults += 1;
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(__dirname, '../../../dist/src/main.js')], {
        encoding: 'utf8',
        env: { NODE_ENV: 'test', PORT: '0', ...SECRETS, DATABASE_URL: databaseUrl, ...failure },
        timeout: 30_000,
      });
      expect([failure, status]).toEqual([failure, exitCode]);
      detector.checkOutput(`a start with ${Object.keys(failure).join()}`, stdout + stderr);
    }
    expect(detector.takeLeaks()).toEqual([]);
  });
});
