import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Api } from '../../support/api';
import { freshDatabase, onDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { freePort } from '../../support/free-port';
import { reservationsOf } from '../../support/ledger';
import { childrenOf, workersOf } from '../../support/processes';
import { admittedOf } from '../../support/rate-limits';
import { describeWithRedis, workerVariables } from '../../support/redis';
import { startService, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

const READS = 30;
const slow = (ms: number) => ({ prompt: `[[sim:slow=${ms}]]`, models: ['sim-swift'] });

/** True if a compare over a separate connection is answered, and not lost. */
async function isAnswered({ url, key = '' }: Caller, body: object): Promise<boolean> {
  return new Promise((resolve) => {
    const request = httpRequest(
      `${url}/api/v1/compare`,
      { method: 'POST', agent: false, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
      (response) => {
        response
          .resume()
          .on('end', () => resolve(response.statusCode === 200))
          .on('error', () => resolve(false));
      },
    );
    request.on('error', () => resolve(false)).end(JSON.stringify(body));
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describeWithRedis('A service with WEB_CONCURRENCY=2', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      LOG_LEVEL: 'info',
      ...(await workerVariables(2)),
      RATE_LIMIT_READ_PER_MINUTE: `${READS}`,
      RATE_LIMIT_COMPARE_PER_MINUTE: '1000',
      MAX_CONCURRENT_COMPARES_PER_KEY: '1000',
    });
  });
  afterAll(() => service.kill());

  it('accepts exactly as many concurrent requests of one key as a single process does', async () => {
    const accepted = async () => {
      const caller = await createCaller({ at: service.url });
      return admittedOf(await Promise.all(Array.from({ length: 3 * READS }, () => caller.get('/api/v1/usage'))));
    };
    // A Redis that is late by 250 ms counts nothing for a moment, and more pass.
    expect(await leastWithin(READS, accepted)).toBe(READS);
  });

  it('reads the catalog again in both workers at a SIGHUP of the primary process, and none of the three ends by a SIGHUP', async () => {
    const lines = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes('the catalog was read again'))
        .map((line) => JSON.parse(line) as { level: string });
    const pids = workersOf(service);
    for (const pid of pids) process.kill(pid, 'SIGHUP');
    service.child.kill('SIGHUP');
    await eventually('both workers have read it', async () => lines().length >= 2);
    expect([lines().length, workersOf(service)]).toEqual([2, pids]);
  });

  it('grants exactly the free evals that are left, and reports the metrics of both workers', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 25 });
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 50 }, () => caller.compare(slow(50))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await caller.usage()).toMatchObject({ eval_count: 50, free_evals_remaining: 0 });
    const free = await onDatabase(worker().databaseUrl, (client) =>
      client.query('select 1 from charges where user_id = $1 and is_free', [caller.userId]),
    );
    expect(free.rowCount).toBe(25);
    await eventually('all are counted', async () => (await stored()) === before + 50);
  });

  async function stored(): Promise<number> {
    const { status, text } = await new Api(undefined, service.url).get('/metrics');
    expect(status).toBe(200);
    return Number(/^mcs_compares_total\{outcome="stored"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  it('serves from both workers, replaces a killed one, and keeps answering', async () => {
    const caller = await createCaller({ at: service.url, freeQuota: 100 });
    const [first = 0, second = 0] = workersOf(service);
    const running = [...(await startFour(caller, second, 4)), ...(await startFour(caller, first, 8))];
    process.kill(first, 'SIGKILL');
    // An idle connection to the killed one breaks; the next one goes to the other.
    await eventually(
      'requests go on',
      async () => (await caller.get('/api/v1/usage').catch(() => undefined))?.status === 200,
    );
    // Those of the killed one are lost, those of the other one are not.
    expect(await Promise.all(running)).toEqual([false, false, false, false, true, true, true, true]);
    await eventually('there are two again', () => workersOf(service).length === 2);
    expect(workersOf(service)).toContain(second);
    const answers = await Promise.all(Array.from({ length: 8 }, () => caller.compare(slow(10))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(service.output()).toContain('a worker has ended and is replaced');
  });

  /**
   * Starts four compares in the remaining worker while the other is suspended, and waits until `count` run. Returns the
   * outcome of each.
   */
  async function startFour(caller: Caller, other: number, runningThen: number): Promise<Promise<boolean>[]> {
    process.kill(other, 'SIGSTOP');
    try {
      const started = Array.from({ length: 4 }, () => isAnswered(caller, slow(10_000)));
      await eventually(
        'all are running',
        async () => (await reservationsOf(worker().databaseUrl, caller.userId)) === runningThen,
      );
      return started;
    } finally {
      process.kill(other, 'SIGCONT');
    }
  }

  it('serves and limits its callers while its primary hangs, and answers /metrics with 503 until it goes on', async () => {
    process.kill(service.child.pid ?? 0, 'SIGSTOP');
    try {
      // A busy machine may make Redis late for a request, which a worker then counts by itself.
      const admitted = await leastWithin(READS, async () => {
        const caller = await createCaller({ at: service.url });
        const answers = [];
        for (let i = 0; i < READS + 1; i += 1) answers.push(await caller.get('/api/v1/usage'));
        return admittedOf(answers);
      });
      expect(admitted).toBe(READS);
      expect((await new Api(undefined, service.url).get('/metrics')).body).toMatchObject({
        error: { code: 'unavailable', message: 'Not every worker responded.' },
      });
    } finally {
      process.kill(service.child.pid ?? 0, 'SIGCONT');
    }
    await eventually(
      'the metrics are there again',
      async () => (await new Api(undefined, service.url).get('/metrics')).status === 200,
    );
  });
});

describeWithRedis('A service of two workers', () => {
  const start = async (variables = {}) =>
    startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', ...(await workerVariables(2)), ...variables });

  it('finishes the running compares, ends all its processes and exits with 0 when it is asked to stop', async () => {
    const service = await start();
    const caller = await createCaller({ at: service.url });
    const pids = workersOf(service);
    expect(pids).toHaveLength(2);
    const running = Array.from({ length: 6 }, () => caller.compare(slow(8000)));
    await eventually('all are running', async () =>
      (await new Api(undefined, service.url).get('/metrics')).text.includes('\nmcs_compares_running 6\n'),
    );
    const stopped = service.stop();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await stopped).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  describe('whose workers are killed', () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      // A fixed port: the system would choose another after all workers were dead at once.
      service = await start({
        MAX_CONCURRENT_COMPARES_PER_KEY: '4',
        RESERVATION_TTL_SECONDS: '4',
        RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
        PORT: `${await freePort()}`,
      });
    });
    afterAll(() => service.kill());

    it('shares the slots of concurrent compares, and releases those of killed workers when their leases end', async () => {
      const granted = async () => {
        const caller = await createCaller({ at: service.url });
        return admittedOf(await Promise.all(Array.from({ length: 10 }, () => caller.compare(slow(4000)))));
      };
      expect(await leastWithin(4, granted)).toBe(4);
      const caller = await createCaller({ at: service.url });
      const running = Array.from({ length: 4 }, () => caller.compare(slow(60_000)).catch(() => undefined));
      await eventually('all are running', async () =>
        (await new Api(undefined, service.url).get('/metrics')).text.includes('\nmcs_compares_running 4\n'),
      );
      // Where Redis is late, one passes uncounted.
      await eventually('no more are granted', async () => (await caller.compare(slow(1))).status === 429);
      for (const pid of workersOf(service)) process.kill(pid, 'SIGKILL');
      await Promise.all(running);
      await eventually(
        'the slots are free again',
        async () => (await caller.compare(slow(1)).catch(() => undefined))?.status === 200,
      );
      expect(
        (await Promise.all([1, 2, 3, 4].map(() => caller.compare(slow(500))))).map(({ status }) => status),
      ).toEqual([200, 200, 200, 200]);
    });

    it('leaves no connection open and unanswered that arrives while its workers die', async () => {
      const { hostname, port } = new URL(service.url);
      const complete = () =>
        eventually(
          'there are two workers again that serve',
          async () =>
            workersOf(service).length === 2 &&
            (await new Api(undefined, service.url).get('/health/live').catch(() => undefined))?.status === 200,
        );
      await complete();
      for (let round = 0; round < 3; round += 1) {
        const open = new Set<Socket>();
        for (const pid of workersOf(service)) process.kill(pid, 'SIGKILL');
        for (let i = 0; i < 100; i += 1) {
          const socket = connect(Number(port), hostname);
          open.add(socket);
          socket
            .on('error', () => undefined)
            .on('close', () => open.delete(socket))
            .end('GET /health/live HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
            .resume();
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
        await complete();
        await eventually('every connection is answered or refused', () => open.size === 0, 20_000);
      }
    });
  });

  it('migrates an empty database in its first worker before the others start', async () => {
    const service = await start({
      DATABASE_URL: await freshDatabase(worker().postgresUrl, `mcs_workers_${process.env['JEST_WORKER_ID']}`),
      MIGRATE_ON_START: 'true',
    });
    try {
      const caller = await createCaller({ at: service.url });
      expect(
        (await Promise.all(Array.from({ length: 8 }, () => caller.compare(slow(1))))).map(({ status }) => status),
      ).toEqual(Array(8).fill(200));
      expect(workersOf(service)).toHaveLength(2);
    } finally {
      await service.kill();
    }
  });

  it('starts a worker again that is killed before all are ready, and is ready with two', async () => {
    const others = childrenOf(process.pid);
    const starting = start();
    let first: number | undefined;
    await eventually('a worker runs', () => {
      [first] = childrenOf(process.pid)
        .filter((pid) => !others.includes(pid))
        .flatMap(childrenOf);
      return first !== undefined;
    });
    process.kill(first ?? 0, 'SIGKILL');
    const service = await starting;
    expect(workersOf(service)).toHaveLength(2);
    expect(workersOf(service)).not.toContain(first);
    expect((await new Api(undefined, service.url).get('/health/ready')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('reports that the port is in use, and ends', async () => {
    await expect(start({ PORT: new URL(worker().serviceUrl).port })).rejects.toThrow(/ended with 1[\s\S]*in use/);
  });
});
