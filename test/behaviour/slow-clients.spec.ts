import { aCaller, type Caller } from '../support/factories';
import { startService, type ServiceProcess } from '../support/service';
import { slowClient, type SlowClient } from '../support/slow-client';
import { worker } from '../support/worker';

const REQUEST_TIMEOUT_MS = 2000;
/** Of each kind. */
const CLIENTS = 100;

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

describe('clients that do not finish their requests', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on', REQUEST_TIMEOUT_MS: `${REQUEST_TIMEOUT_MS}`, READ_RATE_PER_MINUTE: '1000000',
    });
    caller = await aCaller({ at: service.url });
  });
  afterAll(() => service.stop());

  const head = () => `POST /api/v1/compare HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\nContent-Type: application/json\r\n`;
  const many = (count: number, bytes: () => string, drip?: string) => Array.from({ length: count }, () => slowClient(service.url, bytes(), drip));

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
      expect(heldMs).toBeGreaterThan(REQUEST_TIMEOUT_MS / 2);
      // Of a bound of 2 s; a busy machine is slow too, but one that is never cut off would be held for ever.
      expect(heldMs).toBeLessThan(REQUEST_TIMEOUT_MS * 8);
    }
    return ends.map(({ text }) => text);
  }

  async function expectCutOff(clients: readonly SlowClient[]): Promise<void> {
    for (const text of await expectEnded(clients)) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as unknown;
      expect(body).toEqual({ error: { code: 'timeout', message: expect.any(String), request_id: expect.stringMatching(/^req_/) } });
    }
  }

  it('delay nobody, hundreds of them, and are all cut off with 408 in the one error shape', async () => {
    const alone: number[] = [];
    for (let i = 0; i < 100; i += 1) alone.push(await read());
    const clients = [
      ...many(CLIENTS, () => `${head()}Content-Length: 1000\r\n\r\n{"prompt": "half`),
      ...many(CLIENTS, () => `${head()}X-Half: `),
    ];
    let isOver = false;
    const cutOff = expectCutOff(clients).finally(() => { isOver = true; });
    const among: number[] = [];
    while (!isOver) among.push(await read());
    await cutOff;
    expect(among.length).toBeGreaterThan(20);
    expect(median(among)).toBeLessThan(median(alone) * 10 + 50);
    expect((await caller.usage()).eval_count).toBe(0);
  });

  it('gain nothing by a byte now and then', async () => {
    // A byte that crosses the 408 on its way resets the connection, which may take the answer with it.
    await expectEnded([
      ...many(10, () => `${head()}Content-Length: 100000\r\n\r\n`, ' '),
      ...many(10, () => `${head()}X-Half: `, 'x'),
    ]);
  });

  it('are cut off when they never send anything, and after a request of which the next one stays half', async () => {
    const whole = `GET /api/v1/models HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`;
    await expectCutOff(many(10, () => ''));
    const [second] = many(1, () => `${whole}GET /api/v1/mod`);
    const { text } = await (second as SlowClient).ended;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/HTTP\/1\.1 408 [\s\S]*"code":"timeout"/);
  });

  it('hold nothing: a compare works as before', async () => {
    expect((await caller.compare({ prompt: 'still here', models: ['sim-swift'] })).status).toBe(200);
  });
});
