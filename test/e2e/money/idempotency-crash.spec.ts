import { ownDatabase } from '../../support/database';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { chargedOf, exact, reservationsOf, timesOf } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';

const KEY = { headers: { 'idempotency-key': 'once' } };

describe('An Idempotency-Key on two processes', () => {
  let databaseUrl: string;
  let services: [ServiceProcess, ServiceProcess];
  let caller: Caller;
  const order = (slowMs: number) => ({ prompt: `[[sim:slow=${slowMs}]]`, models: ['sim-swift', 'sim-sage'] });

  beforeAll(async () => {
    databaseUrl = await ownDatabase('keys');
    const variables = {
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'true',
      SIMULATOR: 'on',
      RESERVATION_TTL_SECONDS: '5',
      RATE_LIMIT_COMPARE_PER_MINUTE: '1000000',
    };
    services = await Promise.all([startService(variables), startService(variables)]);
  });
  beforeEach(async () => {
    caller = await createCaller({ at: services[0].url, freeQuota: 0 });
  });
  afterAll(async () => {
    for (const service of services)
      if (service.child.exitCode === null && service.child.signalCode === null) await service.stop();
  });

  /** Asks the second process until the key is no longer in use; gives the statuses on the way. */
  async function askUntilAnswered(body: object) {
    const other = caller.at(services[1].url);
    const statuses = new Set<number>();
    let answer = await other.compare(body, KEY);
    await eventually('the key is usable again', async () => {
      statuses.add(answer.status);
      if (answer.status !== 409) return true;
      answer = await other.compare(body, KEY);
      return false;
    });
    return { answer, statuses: [...statuses] };
  }

  async function expectOneCharge(text: string): Promise<void> {
    const other = caller.at(services[1].url);
    expect((await other.usage()).eval_count).toBe(1);
    expect((await other.get('/api/v1/evals')).body.evals).toHaveLength(1);
    expect(await chargedOf(other)).toBe(timesOf(exact(text).meta.total_cost_usd, 14n, 10n));
    expect(await reservationsOf(databaseUrl, caller.userId)).toBe(0);
  }

  it('returns, from a process that was suspended past its reservation, the eval that the other has stored meanwhile, and charges once', async () => {
    const body = order(3000);
    const slept = caller.compare(body, KEY);
    await eventually('the reservation is made', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
    services[0].child.kill('SIGSTOP');
    const { answer, statuses } = await askUntilAnswered(body).finally(() => services[0].child.kill('SIGCONT'));
    expect(statuses).toEqual([409, 200]);
    const late = await slept;
    expect(late.status).toBe(200);
    expect(late.headers.get('idempotency-replayed')).toBe('true');
    expect(late.text).toBe(answer.text);
    await expectOneCharge(answer.text);
  });

  // The last one: the first process is gone.
  it('is usable again when one process was killed in the middle of the run and the reservation has expired, and charges once', async () => {
    const body = order(3000);
    const lost = caller.compare(body, KEY).catch(() => 'lost');
    await eventually('the reservation is made', async () => (await reservationsOf(databaseUrl, caller.userId)) === 1);
    await services[0].kill();
    expect(await lost).toBe('lost');
    const { answer, statuses } = await askUntilAnswered(body);
    expect(statuses).toEqual([409, 200]);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    const replayed = await caller.at(services[1].url).compare(body, KEY);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.text).toBe(answer.text);
    await expectOneCharge(answer.text);
  });
});
