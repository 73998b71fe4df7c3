import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from '../../../src/modules/auth/api-key.format';
import { Api } from '../../support/api';
import { createCaller, eventually } from '../../support/factories';
import { workerVariables } from '../../support/redis';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const start = (variables: Record<string, string> = {}) =>
  startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', LOG_LEVEL: 'info', ...variables });

/** The lines of requests whose path begins so; every line of stdout must be whole JSON. */
function requestLines(output: string, path: string): { reqId: string; path: string; status: number; ms: number }[] {
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  return lines.filter((line) => line.msg === 'request' && line.path.startsWith(path));
}

/** Sends `count` requests with distinct ids, which must all be in the log after a stop. */
async function sendMany(service: ServiceProcess, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `request-${String(index).padStart(6, '0')}`);
  const caller = await createCaller({ at: service.url });
  for (let first = 0; first < count; first += 50) {
    await Promise.all(
      ids.slice(first, first + 50).map((id) => caller.get('/api/v1/usage', { headers: { 'x-request-id': id } })),
    );
  }
  return ids;
}

describe('The request log', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  it.each([
    ['1', 'SIGTERM'],
    ['2', 'SIGTERM'],
  ] as const)(
    'contains one complete line for each request, the last ones included, after a stop with WEB_CONCURRENCY=%s by %s',
    async (workers, signal) => {
      const stopping = await start(await workerVariables(workers));
      const ids = await sendMany(stopping, 500);
      stopping.child.kill(signal);
      await once(stopping.child, 'close');
      const logged = requestLines(stopping.output(), '/api/v1/usage');
      expect(logged.map(({ reqId }) => reqId).sort()).toEqual(ids);
      for (const line of logged) {
        expect(line).toEqual({
          level: 'info',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          reqId: expect.any(String),
          method: 'GET',
          path: '/api/v1/usage',
          route: '/api/v1/usage',
          status: 200,
          ms: expect.any(Number),
          userId: expect.stringMatching(/^user_/),
          keyId: expect.stringMatching(/^key_/),
          msg: 'request',
        });
      }
    },
  );

  it('shows a line within a moment, also when no other follows', async () => {
    const caller = await createCaller({ at: service.url });
    await caller.get('/api/v1/usage', { headers: { 'x-request-id': 'only-request' } });
    await eventually('the line is written', () => service.output().includes('only-request'));
  });

  it('says whose request it was, what error was answered and which eval it has made or replayed, as JSON and as events', async () => {
    const { url } = service;
    const caller = await createCaller({ at: url });
    const before = requestLines(service.output(), '/').length;
    const whose = { userId: caller.userId, keyId: caller.keyId };
    const [order, fails] = [
      { prompt: 'Log me', models: ['sim-swift'] },
      { prompt: '[[sim:fail=unavailable]]', models: ['sim-swift'] },
    ];
    const asks = [
      ...['application/json', 'text/event-stream'].flatMap((accept) => [
        () => caller.compare(order, { headers: { accept, 'idempotency-key': accept } }),
        () => caller.compare(order, { headers: { accept, 'idempotency-key': accept } }),
        () => caller.compare(fails, { headers: { accept } }),
      ]),
      () => caller.compare({ ...order, models: ['unknown'] }),
      () => new Api(undefined, url).get('/api/v1/usage'),
      () => new Api(undefined, url).get('/nowhere'),
    ];
    for (const ask of asks) await ask();
    const {
      evals: [{ eval_id: last }, { eval_id: first }],
    } = (await caller.get('/api/v1/evals')).body;
    const added = () => requestLines(service.output(), '/').slice(before);
    await eventually('the last line is written', () => added().some(({ path }) => path === '/api/v1/evals'));
    const lines = added().filter(({ path }) => path !== '/api/v1/evals' && !path.startsWith('/api/v1/admin'));
    const of = (route: string) => ({
      method: route.endsWith('compare') ? 'POST' : 'GET',
      route,
      path: route,
      ...(route.endsWith('compare') && whose),
    });
    const compare = of('/api/v1/compare');
    const inAll = ['level', 'time', 'reqId', 'ms', 'msg'];
    expect(
      lines.map((line) => Object.fromEntries(Object.entries(line).filter(([name]) => !inAll.includes(name)))),
    ).toEqual([
      { ...compare, status: 200, evalId: first },
      { ...compare, status: 200, evalId: first },
      { ...compare, status: 502, code: 'all_models_failed' },
      { ...compare, status: 200, evalId: last },
      { ...compare, status: 200, evalId: last },
      { ...compare, status: 200, code: 'all_models_failed' },
      { ...compare, status: 400, code: 'unknown_model' },
      { ...of('/api/v1/usage'), status: 401, code: 'unauthorized' },
      { method: 'GET', path: '/nowhere', status: 404, code: 'not_found' },
    ]);
  });

  it('contains no key, neither from a path nor from a request id, and no query', async () => {
    const [inPath, inId] = [newSecret(), newSecret()];
    const caller = await createCaller({ at: service.url });
    await caller.get(`/api/v1/evals/${inPath}?note=in-the-query`, { headers: { 'x-request-id': inId } });
    await eventually('the line is written', () => requestLines(service.output(), '/api/v1/evals/').length === 1);
    expect(requestLines(service.output(), '/api/v1/evals/')).toEqual([
      expect.objectContaining({ path: '/api/v1/evals/[redacted]', reqId: '[redacted]', status: 404 }),
    ]);
    for (const text of [inPath, inId, caller.key, 'in-the-query']) expect(service.output()).not.toContain(text);
  });

  it('drops and counts its lines on a full disk, while the service starts, serves and stops as ever', async () => {
    const unread = await startService(
      { DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', LOG_LEVEL: 'info' },
      undefined,
      openSync('/dev/full', 'w'),
    );
    await sendMany(unread, 100);
    const dropped = async () =>
      Number(
        /^mcs_log_lines_dropped_total (\d+)$/m.exec((await new Api(undefined, unread.url).get('/metrics')).text)?.[1],
      );
    await eventually('lines are dropped', async () => (await dropped()) > 0);
    const before = await dropped();
    const ids = await sendMany(unread, 100);
    // Lines are written in bundles.
    await eventually('each of them is counted', async () => (await dropped()) >= before + ids.length);
    expect(await unread.stop()).toBe(0);
  });

  it('loses no line when the process exits right after it', async () => {
    const script =
      "const { createRequestLogger } = require('./dist/src/platform/observability/logger'); const log = createRequestLogger('info');" +
      "for (let n = 0; n < 5000; n += 1) log.info({ reqId: 'req_' + n, method: 'GET', path: '/', status: 200, ms: 1 }, 'request'); process.exit(0);";
    const child = spawn(process.execPath, ['-e', script], {
      cwd: join(__dirname, '../../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child, 'close');
    expect(
      requestLines(output, '/')
        .map(({ reqId }) => Number(reqId.slice(4)))
        .sort((left, right) => left - right),
    ).toEqual(Array.from({ length: 5000 }, (_, n) => n));
  });
});
