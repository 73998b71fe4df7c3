import { Api, operator, type Json } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

const BODY = { prompt: 'again and again', models: ['sim-swift', 'sim-sage'] };
const RECONNECT = { 'last-event-id': '7', accept: 'text/event-stream' };

/**
 * Compares through the npm package `eventsource`, which only reads until it is closed: the request is its `fetch`
 * option's. Returns every request and the received events.
 */
async function throughEventSource(caller: Caller, headers: Record<string, string> = {}) {
  const { EventSource } = await import('eventsource');
  const requests: { lastEventId: string | undefined; status: number; isReplay: boolean }[] = [];
  const evals: Json[] = [];
  const source = new EventSource(`${caller.url}/api/v1/compare`, {
    fetch: async (url, init) => {
      const all = {
        ...init.headers,
        ...headers,
        authorization: `Bearer ${caller.key ?? ''}`,
        'content-type': 'application/json',
      };
      const response = await fetch(url, { ...init, method: 'POST', headers: all, body: JSON.stringify(BODY) });
      requests.push({
        lastEventId: init.headers['Last-Event-ID'],
        status: response.status,
        isReplay: response.headers.get('idempotency-replayed') === 'true',
      });
      return response;
    },
  });
  source.addEventListener('eval', ({ data }) => evals.push(JSON.parse(data)));
  return { source, requests, evals };
}

describe('An event-stream client that reconnects by itself', () => {
  it('is charged for one eval, receives 204, and stops', async () => {
    const caller = await createCaller();
    const { source, requests, evals } = await throughEventSource(caller);
    await eventually(
      'it has given up, or asked a third time',
      () => source.readyState === source.CLOSED || requests.length > 2,
    );
    source.close();
    expect(requests).toEqual([
      { lastEventId: undefined, status: 200, isReplay: false },
      { lastEventId: expect.stringMatching(/^\d+$/), status: 204, isReplay: false },
    ]);
    expect((await caller.get('/api/v1/evals')).body.evals.map(({ eval_id: id }: Json) => id)).toEqual([
      evals[0].eval_id,
    ]);
  });

  it('receives the first eval again where it sends an Idempotency-Key', async () => {
    const caller = await createCaller();
    const { source, requests, evals } = await throughEventSource(caller, { 'idempotency-key': 'one run' });
    await eventually('the eval has come twice', () => evals.length === 2);
    source.close();
    expect(requests).toMatchObject([
      { status: 200, isReplay: false },
      { status: 200, isReplay: true },
    ]);
    expect(evals[1]).toEqual(evals[0]);
    expect((await caller.usage()).eval_count).toBe(1);
  });
});

describe('POST /api/v1/compare with Last-Event-ID and without Idempotency-Key', () => {
  it('answers 204 without a body and runs and counts nothing, whatever the body and the Accept header are', async () => {
    // The service of the worker may still run what other tests have left, and counts that too.
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      MAX_CONCURRENT_RUNS: '0',
    });
    const comparesCounted = async () =>
      (await new Api(undefined, service.url).get('/metrics')).text
        .split('\n')
        .filter((line) => /^(\w+_)?compares_total/.test(line));
    const caller = await createCaller({ at: service.url });
    await caller.compare(BODY);
    const before = await comparesCounted();
    expect(before).toContainEqual(expect.stringContaining('stored'));
    for (const accept of ['text/event-stream', 'application/json', '*/*']) {
      for (const body of [BODY, {}, { ...BODY, models: ['nobody'] }]) {
        const { status, text, headers } = await caller.compare(body, { headers: { ...RECONNECT, accept } });
        expect([status, text, headers.get('content-type'), headers.get('x-request-id')]).toEqual([
          204,
          '',
          null,
          expect.stringMatching(/^req_/),
        ]);
      }
    }
    expect(await comparesCounted()).toEqual(before);
    expect((await caller.usage()).eval_count).toBe(1);
    await service.stop();
  });

  it('still requires a key with the right scope first', async () => {
    const { userId } = await createCaller();
    const reader = await operator().post(`/api/v1/admin/users/${userId}/keys`, {
      name: 'reader',
      scopes: ['evals:read'],
    });
    expect((await new Api('mcs_nobody').compare(BODY, { headers: RECONNECT })).status).toBe(401);
    expect((await new Api(reader.body.api_key).compare(BODY, { headers: RECONNECT })).status).toBe(403);
  });

  it('runs like any other compare with both headers, and leaves estimates alone', async () => {
    const caller = await createCaller();
    expect((await caller.compare(BODY, { headers: { ...RECONNECT, 'idempotency-key': caller.keyId } })).status).toBe(
      200,
    );
    expect((await caller.post('/api/v1/compare/estimate', BODY, { headers: RECONNECT })).status).toBe(200);
  });
});
