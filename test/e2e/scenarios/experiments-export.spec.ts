import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { memoryMib } from '../../support/memory';
import { startService, type ServiceProcess } from '../../support/service';
import { slowClient } from '../../support/slow-client';

const ROWS = 300;
const MODELS = ['sim-swift', 'sim-quill'];
/** Of an answer; all are some 38 MB, of which the kernels hold a part for each client that does not read. */
const TOKENS = 16_000;
const FORMATS = ['text/csv', 'application/x-ndjson'] as const;
const SLOTS = 4;
/** More in both formats than the process has connections to the database. */
const LEAVERS = 12;
/** Far less than the exports of all clients that stall. */
const MAX_GROWTH_MIB = 48;
const SETTINGS = {
  MAX_CONCURRENT_COMPARES_PER_KEY: `${SLOTS}`,
  RATE_LIMIT_READ_PER_MINUTE: '100000',
  NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=4',
};
/** After 13 to 26 s in silence, a reader is given up. */
const IMPATIENT = { EVAL_TIMEOUT_MS: '1000', DATABASE_TIMEOUT_MS: '1500' };
/** Of all that a test waits for on a machine with much else to do. */
const LONG_MS = 200_000;

describe('An export of 38 MB of rows', () => {
  let databaseUrl: string;
  let service: ServiceProcess;
  let caller: Caller;
  let id: string;
  beforeAll(async () => {
    databaseUrl = await ownDatabase('experiments_export');
    const filler = await startService({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true', SIMULATOR: 'on' });
    const owner = await createCaller({ at: filler.url, freeQuota: 0 });
    const rows = Array.from({ length: ROWS }, (_, index) => ({ input: `row ${index} ` }));
    const {
      body: { dataset_id: dataset },
    } = await owner.post('/api/v1/datasets', { rows });
    const started = await owner.post('/api/v1/experiments', {
      dataset,
      prompt: `{input} [[sim:echo]] [[sim:length=${TOKENS}]]`,
      models: MODELS,
      options: { max_tokens: TOKENS },
      max_cost_usd: 100,
      parallel: 16,
    });
    id = started.body.experiment_id as string;
    await eventually(
      'it has finished',
      async () => (await owner.get(`/api/v1/experiments/${id}`)).body.state === 'finished',
      LONG_MS,
    );
    await filler.stop();
    service = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on', ...SETTINGS });
    caller = owner.at(service.url);
    for (const accept of FORMATS) await exported(accept);
  }, 2 * LONG_MS);
  afterAll(() => service.stop());

  const exported = async (accept: string) =>
    (await caller.get(`/api/v1/experiments/${id}/rows`, { headers: { accept } })).text;
  const transactions = async () =>
    onDatabase(
      databaseUrl,
      async (client) =>
        (
          await client.query(
            'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null',
          )
        ).rowCount,
    );

  /** A client that reads the first bytes and then pauses. Resolves when these have arrived. */
  async function stallingClient(accept: string, url = service.url) {
    const client = slowClient(
      url,
      `GET /api/v1/experiments/${id}/rows HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
    );
    const status = await new Promise<string>((resolve) => {
      client.socket.once('data', (data) => {
        client.socket.pause();
        resolve(data.toString().slice(9, 12));
      });
    });
    return { ...client, status };
  }

  /** The most memory, beyond that at the beginning, while something is done. */
  async function growthDuring(work: () => Promise<void>): Promise<number> {
    const before = memoryMib(service.child.pid);
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, memoryMib(service.child.pid));
    }, 10);
    await work().finally(() => clearInterval(watch));
    return highest - before;
  }

  it.each(FORMATS)(
    'as %s goes on for no client that leaves: slots and connections are free again, and memory stays flat',
    async (accept) => {
      const growth = await growthDuring(async () => {
        for (let left = 0; left < LEAVERS; left += SLOTS) {
          await eventually('the slots are free', async () => {
            const clients = await Promise.all(Array.from({ length: SLOTS }, () => stallingClient(accept)));
            for (const { socket } of clients) socket.destroy();
            return clients.every(({ status }) => status === '200');
          });
          await eventually('a connection is free', async () => (await caller.get('/api/v1/usage')).status === 200);
        }
      });
      await eventually('no transaction is open', async () => (await transactions()) === 0);
      let text = '';
      await eventually('a slot is free', async () => !(text = await exported(accept)).includes('rate_limited'));
      expect(new Set(text.match(/row \d+ /g)).size).toBe(ROWS);
      process.stdout.write(`${LEAVERS} clients that leave, ${accept}: ${growth.toFixed(0)} MiB more at most\n`);
      expect(growth).toBeLessThan(MAX_GROWTH_MIB);
      expect(service.output()).not.toContain('"level":"error"');
    },
  );

  it('waits for clients that stall without a connection of the database, beside other requests, and with flat memory', async () => {
    const other = await createCaller({ at: service.url });
    const growth = await growthDuring(async () => {
      const clients = await Promise.all(
        Array.from({ length: SLOTS }, (_, index) => stallingClient(FORMATS[index % 2] ?? '')),
      );
      expect(clients.map(({ status }) => status)).toEqual(clients.map(() => '200'));
      await eventually('no transaction is open', async () => (await transactions()) === 0);
      for (let count = 0; count < 20; count += 1) expect((await other.get('/api/v1/usage')).status).toBe(200);
      expect((await other.compare({ prompt: 'Hello', models: MODELS })).status).toBe(200);
      expect(JSON.parse(await exported('text/csv'))).toMatchObject({ error: { code: 'rate_limited' } });
      for (const { socket } of clients) socket.resume();
      expect(
        (await Promise.all(clients.map(({ ended }) => ended))).map(({ text }) => text.endsWith('\r\n0\r\n\r\n')),
      ).toEqual(clients.map(() => true));
    });
    process.stdout.write(`${SLOTS} clients that stall: ${growth.toFixed(0)} MiB more at most\n`);
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
    expect(service.output()).not.toContain('"level":"error"');
  });

  it(
    'gives clients that stall up after a timeout',
    async () => {
      const impatient = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on', ...SETTINGS, ...IMPATIENT });
      const clients = await Promise.all(Array.from({ length: SLOTS }, () => stallingClient('text/csv', impatient.url)));
      expect(clients.map(({ status }) => status)).toContain('200');
      await eventually(
        'a slot is free',
        async () => {
          const { status, socket } = await stallingClient('text/csv', impatient.url);
          socket.destroy();
          return status === '200';
        },
        LONG_MS,
      );
      for (const { socket } of clients) socket.resume();
      const ends = await Promise.all(clients.map(({ ended }) => ended));
      expect(ends.filter(({ text }) => text.endsWith('\r\n0\r\n\r\n')).length).toBeLessThan(SLOTS);
      expect(impatient.output()).not.toContain('"level":"error"');
      await impatient.stop();
    },
    2 * LONG_MS,
  );
});
