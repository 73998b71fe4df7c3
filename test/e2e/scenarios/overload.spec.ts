import { join } from 'node:path';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const SLOW_LOOP = join(__dirname, '../../support/slow-loop.cjs');
const ORDER = { prompt: 'Hello', models: ['sim-swift'] };
const RUNNING = 3;

describe('A service that cannot keep up', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      MAX_EVENT_LOOP_DELAY_MS: '100',
      NODE_OPTIONS: `--require ${SLOW_LOOP}`,
    });
    caller = await createCaller({ at: service.url });
  });
  afterAll(async () => void (await service.stop()));

  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)`, 'm').exec((await caller.get('/metrics')).text)?.[1] ?? 0);
  const estimateStatus = async () => (await caller.post('/api/v1/compare/estimate', ORDER)).status;

  it('refuses new compares and estimates with 503, still answers everything else, ends the running compares well, and accepts new ones when it keeps up again', async () => {
    const running = Array.from({ length: RUNNING }, (_, index) =>
      caller.compare(
        { prompt: '[[sim:slow=8000]]', models: ['sim-swift'] },
        { headers: { accept: index === 0 ? 'text/event-stream' : 'application/json' } },
      ),
    );
    await eventually('they run', async () => (await metric('mcs_compares_running')) === RUNNING);
    service.child.kill('SIGUSR2');
    await eventually('estimates are refused', async () => (await estimateStatus()) === 503);

    for (const accept of ['application/json', 'text/event-stream']) {
      const { status, headers, body } = await caller.compare(ORDER, { headers: { accept } });
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      expect(body).toEqual({
        error: {
          code: 'overloaded',
          message:
            'The service is too busy to start anything new in time; nothing was run or charged. Try again after Retry-After seconds.',
          request_id: headers.get('x-request-id'),
        },
      });
    }
    for (const path of [
      '/api/v1/usage',
      '/api/v1/evals',
      '/api/v1/models',
      '/health/live',
      '/health/ready',
      '/metrics',
    ])
      expect([path, (await caller.get(path)).status]).toEqual([path, 200]);
    expect(await metric('mcs_compares_total\\{outcome="overloaded"\\}')).toBe(2);

    const ended = await Promise.all(running);
    expect(ended.map(({ status }) => status)).toEqual(Array(RUNNING).fill(200));
    expect(ended[0]?.text).toContain('event: eval\n');
    // It was slow to their end.
    expect(await estimateStatus()).toBe(503);
    expect((await caller.usage()).eval_count).toBe(RUNNING);

    service.child.kill('SIGUSR2');
    await eventually('estimates are answered', async () => (await estimateStatus()) === 200);
    expect((await caller.compare(ORDER)).status).toBe(200);
    expect(service.output()).toMatch(
      /cannot keep up: compares are refused while the event loop is \d+ ms late[^]*keeps up again: compares are accepted/,
    );
  });
});
