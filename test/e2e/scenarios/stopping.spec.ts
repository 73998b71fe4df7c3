import { once } from 'node:events';
import { Api, type Answer } from '../../support/api';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { PausableProxy } from '../../support/pausable-proxy';
import { workersOf } from '../../support/processes';
import { workerVariables } from '../../support/redis';
import { startService, type ServiceProcess } from '../../support/service';
import { slowClient, type SlowClient } from '../../support/slow-client';
import { LONG_COMPARE, longAnswers, muteReader } from '../../support/stalled-readers';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const start = (variables: Record<string, string>) =>
  startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', ...variables });
const slow = (ms: number) => ({ prompt: `[[sim:slow=${ms}]]`, models: ['sim-swift'] });

/** Sends the signal and gives the exit code that follows, once the output is read, and after how many milliseconds. */
function signal({ child }: ServiceProcess, name: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }> {
  const begunMs = performance.now();
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.kill(name);
  return closed.then(([code]) => ({ code, tookMs: performance.now() - begunMs }));
}

const ready = ({ url }: ServiceProcess) => new Api(undefined, url).get('/health/ready');
const isStopping = async (service: ServiceProcess) => (await ready(service)).status === 503;

const closing = ({ status, headers }: Answer) => [status, headers.get('connection')];
const running = async ({ url }: ServiceProcess) =>
  Number(/^mcs_compares_running (\d+)$/m.exec((await new Api(undefined, url).get('/metrics')).text)?.[1]);

describe('A service that is asked to stop', () => {
  /** Longer than all that is asked for meanwhile takes on a busy machine. */
  const DRAIN_SECONDS = 8;

  it('answers uploads that are still arriving, and stores nothing of them', async () => {
    const service = await start({ DRAIN_SECONDS: '1' });
    const row = `{"input":"${'x'.repeat(10_000)}"}\n`;
    const callers = [await createCaller({ at: service.url }), await createCaller({ at: service.url })] as const;
    // The second one is large, so that a transaction is open.
    const uploads = callers.map(({ key }, index) =>
      slowClient(
        service.url,
        `POST /api/v1/datasets HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 50000000\r\n\r\n${row.repeat(index === 0 ? 1 : 200)}`,
        row,
      ),
    );
    const begun = () =>
      onDatabase(
        worker().databaseUrl,
        async (client) =>
          (
            await client.query(
              "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction' and query like '%dataset_rows%'",
            )
          ).rowCount ?? 0,
      );
    await eventually('the large one is being stored', async () => (await begun()) > 0);
    expect((await signal(service, 'SIGTERM')).code).toBe(0);
    for (const { text } of await Promise.all(uploads.map(({ ended }) => ended))) {
      expect(text).toMatch(/^HTTP\/1\.1 503 /);
      expect(text).toMatch(/^retry-after: 5\r$/im);
      expect(text).toContain('"code":"unavailable"');
    }
    for (const { key } of callers) expect((await new Api(key).get('/api/v1/datasets')).body.datasets).toEqual([]);
  });

  it('is not ready at once, serves everything for DRAIN_SECONDS on connections that end with their responses, and logs one line', async () => {
    const service = await start({ DRAIN_SECONDS: `${DRAIN_SECONDS}`, LOG_LEVEL: 'info' });
    try {
      const caller = await createCaller({ at: service.url });
      expect(closing(await caller.get('/api/v1/usage'))).toEqual([200, 'keep-alive']);
      const before = caller.compare(slow(4000));
      await eventually('it runs', async () => (await running(service)) === 1);
      const request = `GET /api/v1/usage HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`;
      const idle = slowClient(service.url, request);
      await once(idle.socket, 'data');
      const ended = signal(service, 'SIGTERM');
      await eventually('it is not ready', () => isStopping(service));
      const { headers, body } = await ready(service);
      expect(body.error).toMatchObject({ code: 'unavailable', message: 'The service is stopping.' });
      expect([headers.get('retry-after'), headers.get('connection')]).toEqual(['1', 'close']);
      for (const path of ['/health/live', '/api/v1/usage', '/api/v1/models'])
        expect([path, ...closing(await caller.get(path))]).toEqual([path, 200, 'close']);
      for (const path of ['/nothing', '/%zz'])
        expect([path, ...closing(await caller.get(path))]).toEqual([path, 404, 'close']);
      expect(closing(await caller.compare({ prompt: 'new', models: ['sim-swift'] }))).toEqual([200, 'close']);
      expect(closing(await before)).toEqual([200, 'close']);
      // A connection that was waiting for its next request is not cut off, but ends with it.
      idle.socket.write(request);
      expect((await idle.ended).text.match(/HTTP\/1\.1 \d+|^connection: [\w-]+/gim)).toEqual([
        'HTTP/1.1 200',
        'Connection: keep-alive',
        'HTTP/1.1 200',
        'connection: close',
      ]);
      const { code, tookMs } = await ended;
      expect(code).toBe(0);
      expect(tookMs).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1000);
      expect(service.output().match(/not ready/g)).toHaveLength(1);
      expect(service.output()).not.toContain('/health/');
    } finally {
      await service.kill();
    }
  });

  it('skips the wait at a second SIGTERM', async () => {
    const service = await start({ DRAIN_SECONDS: '600' });
    try {
      void signal(service, 'SIGTERM');
      await eventually('it is not ready', () => isStopping(service));
      expect(await signal(service, 'SIGTERM')).toMatchObject({ code: 0 });
    } finally {
      await service.kill();
    }
  });

  it('rejects compares while it waits for the running ones, and answers everything else, also on a connection that its closed listener has left', async () => {
    const service = await start(longAnswers());
    try {
      const caller = await createCaller({ at: service.url, freeQuota: 0 });
      const mute = muteReader(caller, { ...LONG_COMPARE, prompt: `[[sim:slow=8000]]${LONG_COMPARE.prompt}` });
      const last = caller.compare(slow(8000));
      await eventually('both run', async () => (await running(service)) === 2);
      const ended = signal(service, 'SIGTERM');
      await eventually('it is not ready', () => isStopping(service));
      let refused = await caller.compare(slow(1));
      // Not ready comes first, and the last compare to be accepted may come between the two.
      await eventually(
        'compares are rejected',
        async () => refused.status !== 200 || (refused = await caller.compare(slow(1))).status !== 200,
      );
      expect(closing(refused)).toEqual([503, 'close']);
      expect(refused.body.error).toMatchObject({ code: 'unavailable', message: 'The service is stopping.' });
      expect(closing(await caller.get('/api/v1/usage'))).toEqual([200, 'close']);
      const half = slowClient(
        service.url,
        `GET /api/v1/usage HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\n`,
      );
      expect((await last).status).toBe(200);
      await eventually('nobody listens any more', () =>
        ready(service).then(
          () => false,
          () => true,
        ),
      );
      half.socket.write('\r\n');
      const { text } = await half.ended;
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toMatch(/^connection: close\r$/im);
      expect(await ended).toMatchObject({ code: 0 });
      mute.socket.destroy();
    } finally {
      await service.kill();
    }
  });
});

describe('A service that is asked to stop, whatever its clients do,', () => {
  const EVAL_TIMEOUT_MS = 6000;
  const DRAIN_SECONDS = 1;
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    service = await start({
      ...longAnswers(),
      EVAL_TIMEOUT_MS: `${EVAL_TIMEOUT_MS}`,
      DRAIN_SECONDS: `${DRAIN_SECONDS}`,
    });
    caller = await createCaller({ at: service.url, freeQuota: 0 });
  });
  afterAll(() => service.kill());

  const head = () =>
    `POST /api/v1/compare HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\nContent-Type: application/json\r\n`;

  /** Reads its events a byte a second. */
  function slowReader(): SlowClient {
    const client = muteReader(caller, LONG_COMPARE);
    const reading = setInterval(() => client.socket.read(1), 1000);
    client.socket.once('close', () => clearInterval(reading));
    return client;
  }

  it('ends within EVAL_TIMEOUT_MS, DRAIN_SECONDS and 10 s, and with it every connection', async () => {
    const readers = [muteReader(caller, LONG_COMPARE), slowReader()];
    const others = [
      slowClient(service.url, `${head()}Content-Length: 1000\r\n\r\n{"prompt": "half`),
      slowClient(service.url, `${head()}Content-Length: 1000000\r\n\r\n{"prompt": "`, 'x'),
      slowClient(service.url, `${head()}X-Half: `),
      slowClient(service.url, `${head()}X-Half: `, 'x'),
      slowClient(service.url, ''),
      slowClient(
        service.url,
        `GET /api/v1/models HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`,
      ),
    ];
    await eventually('the evals are stored', async () => (await caller.usage()).eval_count === readers.length);
    const lasting = caller.compare(slow(60_000));
    await eventually('a compare runs into its deadline', async () => (await running(service)) === 1);
    const { code, tookMs } = await signal(service, 'SIGTERM');
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(EVAL_TIMEOUT_MS + DRAIN_SECONDS * 1000 + 10_000);
    expect((await lasting).status).toBe(502);
    for (const { socket } of readers) socket.resume();
    await Promise.all([...readers, ...others].map(({ ended }) => ended));
  });
});

describe('A service that cannot stop', () => {
  const EVAL_TIMEOUT_MS = 5000;
  const MAX_MS = EVAL_TIMEOUT_MS + 10_000;

  it('exits with 1 and one line when its time is up because its database never answers', async () => {
    const stopping = async () => {
      const proxy = await PausableProxy.inFrontOf(await ownDatabase('stopping'));
      const service = await start({
        DATABASE_URL: proxy.url,
        MIGRATE_ON_START: 'true',
        EVAL_TIMEOUT_MS: `${EVAL_TIMEOUT_MS}`,
        DATABASE_TIMEOUT_MS: '600000',
      });
      try {
        const caller = await createCaller({ at: service.url });
        const silenced = proxy.dropResponseTo('insert into evals');
        const lost = caller.compare({ prompt: 'never stored', models: ['sim-swift'] }).catch(() => undefined);
        await silenced;
        const { code, tookMs } = await signal(service, 'SIGTERM');
        expect([code, await lost]).toEqual([1, undefined]);
        expect(service.output().match(/stopping took too long; open requests are lost/g)).toHaveLength(1);
        return tookMs;
      } finally {
        await service.kill();
        await proxy.close();
      }
    };
    expect(await leastWithin(MAX_MS, stopping)).toBeLessThanOrEqual(MAX_MS);
  });
});

describe('A service of two workers that is asked to stop', () => {
  it('drains both together, also when the signal reaches each of them as well, and skips the wait together', async () => {
    const service = await start({ ...(await workerVariables(2)), DRAIN_SECONDS: '600' });
    try {
      const caller = await createCaller({ at: service.url });
      // As Ctrl-C in a terminal does, which reaches the whole group of processes.
      for (const pid of [...workersOf(service), service.child.pid ?? 0]) process.kill(pid, 'SIGINT');
      // One after the other takes the connections, so that four new ones reach both.
      await eventually('none of them is ready', async () =>
        (await Promise.all([1, 2, 3, 4].map(() => ready(service)))).every(({ status }) => status === 503),
      );
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => caller.compare({ prompt: 'still served', models: ['sim-swift'] })),
      );
      expect(answers.map(closing)).toEqual(Array(4).fill([200, 'close']));
      expect(await signal(service, 'SIGTERM')).toMatchObject({ code: 0 });
    } finally {
      await service.kill();
    }
  });
});
