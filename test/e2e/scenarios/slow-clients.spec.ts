import { newSecret } from '../../../src/modules/auth/api-key.format';
import { Api } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { slowClient, type SlowClient } from '../../support/slow-client';
import { worker } from '../../support/worker';

/** With an EVAL_TIMEOUT_MS below 30 s, a request may take as long to arrive. */
const MAX_ARRIVAL_MS = 2000;
/** Of each kind. */
const CLIENTS = 100;

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

describe('Clients that do not finish their requests', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      EVAL_TIMEOUT_MS: `${MAX_ARRIVAL_MS}`,
      MODEL_TIMEOUT_MS: `${MAX_ARRIVAL_MS}`,
      RATE_LIMIT_READ_PER_MINUTE: '1000000',
    });
    caller = await createCaller({ at: service.url });
  });
  afterAll(() => service.stop());

  const head = () =>
    `POST /api/v1/compare HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\nContent-Type: application/json\r\n`;
  const many = (count: number, bytes: () => string, drip?: string) =>
    Array.from({ length: count }, () => slowClient(service.url, bytes(), drip));

  /** Milliseconds of one read of the database. */
  async function read(): Promise<number> {
    const begun = performance.now();
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
    return performance.now() - begun;
  }

  async function expectEnded(clients: readonly SlowClient[]): Promise<string[]> {
    const ends = await Promise.all(clients.map(({ ended }) => ended));
    for (const { heldMs } of ends) {
      // Late is late only by the service's clock, which begins with the connection.
      expect(heldMs).toBeGreaterThan(MAX_ARRIVAL_MS / 2);
      // The bound is 2 s; a busy machine is slow too, but without a bound the connection would stay forever.
      expect(heldMs).toBeLessThan(MAX_ARRIVAL_MS * 8);
    }
    return ends.map(({ text }) => text);
  }

  async function expectCutOff(clients: readonly SlowClient[]): Promise<void> {
    for (const text of await expectEnded(clients)) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as unknown;
      expect(body).toEqual({
        error: { code: 'timeout', message: expect.any(String), request_id: expect.stringMatching(/^req_/) },
      });
    }
  }

  it('delay no other request, hundreds of them, and all end with 408 in the one error format', async () => {
    const alone: number[] = [];
    for (let i = 0; i < 100; i += 1) alone.push(await read());
    const clients = [
      ...many(CLIENTS, () => `${head()}Content-Length: 1000\r\n\r\n{"prompt": "half`),
      ...many(CLIENTS, () => `${head()}X-Half: `),
    ];
    let isOver = false;
    const cutOff = expectCutOff(clients).finally(() => {
      isOver = true;
    });
    const among: number[] = [];
    while (!isOver) among.push(await read());
    await cutOff;
    expect(among.length).toBeGreaterThan(5);
    expect(median(among)).toBeLessThan(median(alone) * 10 + 50);
    expect((await caller.usage()).eval_count).toBe(0);
  });

  it('gain nothing by sending a byte now and then', async () => {
    // A byte that crosses the 408 on its way resets the connection, which may take the answer with it.
    await expectEnded([
      ...many(10, () => `${head()}Content-Length: 100000\r\n\r\n`, ' '),
      ...many(10, () => `${head()}X-Half: `, 'x'),
    ]);
  });

  it('are ended when they never send anything, and when they stop in the middle of their second request', async () => {
    const whole = `GET /api/v1/models HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`;
    await expectCutOff(many(10, () => ''));
    const [second] = many(1, () => `${whole}GET /api/v1/mod`);
    const { text } = await (second as SlowClient).ended;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/HTTP\/1\.1 408 [\s\S]*"code":"timeout"/);
  });

  it('hold no resource: a compare works as before', async () => {
    expect((await caller.compare({ prompt: 'still here', models: ['sim-swift'] })).status).toBe(200);
  });

  it('are disconnected with 408 in the middle of a data set, which stores nothing and blocks no other upload', async () => {
    const uploader = await createCaller({ at: service.url });
    const rows = `${JSON.stringify({ input: 'some words of a row '.repeat(50) })}\n`.repeat(2000);
    const stalled = slowClient(
      service.url,
      `POST /api/v1/datasets HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${uploader.key}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 10000000\r\n\r\n${rows}`,
    );
    const { text, heldMs } = await stalled.ended;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(heldMs).toBeLessThan(8 * MAX_ARRIVAL_MS);
    // A moment after the response, the service notices that the upload has ended.
    await eventually(
      'another is taken',
      async () =>
        (
          await uploader.post('/api/v1/datasets', '{"input":"a"}', {
            headers: { 'content-type': 'application/x-ndjson' },
          })
        ).status === 201,
    );
    expect((await uploader.get('/api/v1/datasets')).body.datasets).toHaveLength(1);
    expect(service.output()).not.toContain('"level":"error"');
  });
});

describe('A body that comes with a key that is not live', () => {
  const bodies = [
    'POST /api/v1/compare',
    'POST /api/v1/compare/estimate',
    'DELETE /api/v1/evals/some-id',
    'POST /api/v1/admin/users',
    'PATCH /api/v1/admin/keys/some-id',
  ];
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: '40',
    });
  });
  afterAll(() => service.stop());

  const halfSent = (line: string, key: string | undefined) =>
    slowClient(
      service.url,
      `${line} HTTP/1.1\r\nHost: here\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"prompt": "half`,
    );

  it('is not waited for: the response comes at once and the connection is closed, long before the timeout', async () => {
    const user = await createCaller({ at: service.url });
    const cases = bodies.flatMap((line) =>
      [undefined, 'nonsense', newSecret(), ...(line.includes('/admin/') ? [user.key] : [])].map((key) => ({
        line,
        key,
      })),
    );
    await Promise.all(
      cases.map(async ({ line, key }) => {
        const [status, code] = key === user.key ? [403, 'forbidden'] : [401, 'unauthorized'];
        const { text, heldMs } = await halfSent(line, key).ended;
        expect([line, text.slice(0, 12)]).toEqual([line, `HTTP/1.1 ${status}`]);
        expect(text).toMatch(/\r\nconnection: close\r\n/i);
        if (status === 401) expect(text).toMatch(/\r\nwww-authenticate: Bearer\r\n/i);
        expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).error).toMatchObject({
          code,
          request_id: expect.stringMatching(/^req_/),
        });
        // A request is late after 30 s.
        expect(heldMs).toBeLessThan(10_000);
      }),
    );
  });

  it('is answered even to a client that reads only when it has sent everything', async () => {
    const body = `{"prompt":"${'x'.repeat(1_000_000)}"}`;
    for (let i = 0; i < 10; i += 1) {
      const { status, headers } = await new Api('nonsense', service.url).post('/api/v1/compare', body);
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  it('is counted against the address it comes from', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 41 }, async () =>
        (await halfSent('POST /api/v1/compare', undefined).ended).text.slice(9, 12),
      ),
    );
    expect(statuses).toContain('429');
  });
});
