import { Api, operator, type Answer, type Json } from '../../support/api';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { ended } from '../../support/runs';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

/** About five seconds of writing. */
const SLOW = { prompt: 'Hello [[sim:pace=12]] [[sim:length=60]]', models: ['sim-swift', 'sim-sage'] };
const STREAM = { accept: 'text/event-stream' };

interface SentEvent {
  event: string;
  data: Json;
}

function eventsIn(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id:'))
    .map((block) => {
      const [, event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2));
      return { event, data: JSON.parse(data) };
    });
}

function textOf(events: readonly SentEvent[], model: string): string {
  return events
    .filter(({ event, data }) => event === 'delta' && data.model === model)
    .map(({ data }) => data.text)
    .join('');
}

/** Starts a streamed compare and leaves once it has read some text. */
async function startedAndLeft(
  caller: Caller,
  headers: Record<string, string> = {},
  url = worker().serviceUrl,
): Promise<string> {
  const leave = new AbortController();
  const { body } = await fetch(`${url}/api/v1/compare`, {
    method: 'POST',
    signal: leave.signal,
    body: JSON.stringify(SLOW),
    headers: { ...STREAM, authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
  });
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.includes('event: delta')) break;
  }
  leave.abort();
  return eventsIn(text)[0]?.data.eval_id;
}

describe('A run in flight', () => {
  it('is taken up by several readers from its first event, and ends for each with the stored eval', async () => {
    const caller = await createCaller();
    const evalId = await startedAndLeft(caller);
    const answers = await Promise.all([
      caller.get(`/api/v1/runs/${evalId}`, { headers: STREAM }),
      caller.get(`/api/v1/runs/${evalId}`, { headers: STREAM }),
    ]);
    for (const { status, headers, text } of answers) {
      const events = eventsIn(text);
      expect([status, headers.get('content-type'), events[0]?.event, events.at(-1)?.event]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
        'eval-started',
        'eval',
      ]);
      for (const { model, output } of events.at(-1)?.data.results ?? []) expect(textOf(events, model)).toBe(output);
      expect(events.filter(({ event }) => event === 'delta').length).toBeGreaterThan(4);
    }
    expect(eventsIn(answers[0].text).at(-1)?.data).toEqual((await caller.get(`/api/v1/evals/${evalId}`)).body);
    // Now it is a stored eval and no run.
    expect((await caller.get(`/api/v1/runs/${evalId}`, { headers: STREAM })).status).toBe(404);
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it('is not there for another user, and for another key only if that may read evals', async () => {
    const caller = await createCaller();
    const evalId = await startedAndLeft(caller);
    const keyed = async (scopes: string[]) =>
      (await operator().post(`/api/v1/admin/users/${caller.userId}/keys`, { name: 'other', scopes })).body
        .api_key as string;
    const statusFor = async (key: string) => {
      const answer = await fetch(`${worker().serviceUrl}/api/v1/runs/${evalId}`, {
        headers: { ...STREAM, authorization: `Bearer ${key}` },
      });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(
      await Promise.all([
        statusFor((await createCaller()).key ?? ''),
        statusFor(await keyed(['compare'])),
        statusFor(await keyed(['compare', 'evals:read'])),
      ]),
    ).toEqual([404, 404, 200]);
  });

  it('is taken up by a reconnect with its Idempotency-Key, and bought no second time', async () => {
    const caller = await createCaller();
    const key = { 'idempotency-key': 'reconnect' };
    const evalId = await startedAndLeft(caller, key);
    expect((await caller.compare(SLOW, { headers: { ...STREAM, ...key } })).status).toBe(409);
    expect(
      (await caller.compare({ ...SLOW, input: 'x' }, { headers: { ...STREAM, ...key, 'last-event-id': '3' } })).status,
    ).toBeGreaterThanOrEqual(409);
    const events = eventsIn(
      (await caller.compare(SLOW, { headers: { ...STREAM, ...key, 'last-event-id': '3' } })).text,
    );
    expect([events[0]?.data.eval_id, events.at(-1)?.data.eval_id]).toEqual([evalId, evalId]);
    expect((await caller.usage()).eval_count).toBe(1);
  });

  it('ends for a reader whose key is revoked', async () => {
    const caller = await createCaller();
    const evalId = await startedAndLeft(caller);
    const reading = caller.get(`/api/v1/runs/${evalId}`, { headers: STREAM });
    await operator().delete(`/api/v1/admin/keys/${caller.keyId}`);
    expect(eventsIn((await reading).text).at(-1)).toMatchObject({
      event: 'error',
      data: { error: { code: 'unauthorized' } },
    });
  });

  it('of the background is streamed while it runs, and is JSON before and after', async () => {
    const caller = await createCaller();
    const {
      body: { run_id: runId, eval_id: evalId },
    } = await caller.compare(SLOW, { headers: { prefer: 'respond-async' } });
    let text = '';
    await eventually('the run streams', async () => {
      const answer = await caller.get(`/api/v1/runs/${runId}`, { headers: STREAM });
      text = answer.text;
      if (answer.headers.get('content-type')?.startsWith('application/json') === true)
        expect(answer.headers.get('retry-after')).toBe('2');
      return text.startsWith('id: 1\nevent: eval-started');
    });
    expect(eventsIn(text).at(-1)).toMatchObject({ event: 'eval', data: { eval_id: evalId } });
    const after = await caller.get(`/api/v1/runs/${runId}`, { headers: STREAM });
    expect([after.body.status, after.headers.get('retry-after')]).toEqual(['succeeded', null]);
  });

  describe('asked for at another process', () => {
    let other: ServiceProcess;
    beforeAll(async () => {
      other = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on' });
    });
    afterAll(() => other.stop());

    const at = (caller: Caller, url: string) => (path: string) =>
      new Api(caller.key, url).get(path, { headers: STREAM });

    it('is its state as JSON, with Retry-After until it is final, while the process that runs it streams', async () => {
      const caller = await createCaller();
      const {
        body: { run_id: runId, eval_id: evalId },
      } = await caller.compare(
        { ...SLOW, prompt: 'Hello [[sim:pace=8]] [[sim:length=60]]' },
        { headers: { prefer: 'respond-async' } },
      );
      await ended(caller, runId, 'running');
      const urls = [worker().serviceUrl, other.url];
      let answers: Answer<Json>[] = [];
      await eventually('one of the two streams', async () => {
        answers = await Promise.all(urls.map(async (url) => at(caller, url)(`/api/v1/runs/${runId}`)));
        return answers.some(({ headers }) => headers.get('content-type')?.startsWith('text/event-stream') === true);
      });
      const kinds = answers.map(({ status, headers }) => [
        status,
        headers.get('content-type')?.split(';')[0],
        headers.get('retry-after'),
      ]);
      expect(kinds).toContainEqual([200, 'application/json', '2']);
      const polled = answers.findIndex(({ headers }) => headers.has('retry-after'));
      expect(answers[polled]?.body).toMatchObject({ run_id: runId, eval_id: evalId, status: 'running' });
      const again = at(caller, urls[polled] ?? '');
      await eventually(
        'the state is final',
        async () => (await again(`/api/v1/runs/${runId}`)).body.status === 'succeeded',
      );
      expect((await again(`/api/v1/runs/${runId}`)).headers.get('retry-after')).toBeNull();
      expect((await again(`/api/v1/evals/${evalId}`)).status).toBe(200);
    });

    it('is not found if it was streamed, refused to a reconnect as being in flight, and found as an eval when it has ended', async () => {
      const caller = await createCaller();
      const key = { 'idempotency-key': 'elsewhere' };
      const evalId = await startedAndLeft(caller, key);
      const reconnect = () =>
        new Api(caller.key, other.url).post('/api/v1/compare', SLOW, {
          headers: { ...STREAM, ...key, 'last-event-id': '3' },
        });
      expect((await at(caller, other.url)(`/api/v1/runs/${evalId}`)).status).toBe(404);
      const refused = await reconnect();
      expect([refused.status, refused.body.error.code, refused.headers.has('retry-after')]).toEqual([
        409,
        'idempotency_key_in_use',
        true,
      ]);
      await eventually(
        'the eval is stored',
        async () => (await at(caller, other.url)(`/api/v1/evals/${evalId}`)).status === 200,
      );
      expect(eventsIn((await reconnect()).text)).toMatchObject([{ event: 'eval', data: { eval_id: evalId } }]);
      expect((await caller.usage()).eval_count).toBe(1);
    });
  });

  it('ends for its readers with the eval when the service stops, and is unknown to the next process', async () => {
    const service = await startService({ DATABASE_URL: worker().databaseUrl, SIMULATOR: 'on' });
    try {
      const caller = await createCaller({ at: service.url });
      const evalId = await startedAndLeft(caller, {}, service.url);
      const reading = await fetch(`${service.url}/api/v1/runs/${evalId}`, {
        headers: { ...STREAM, authorization: `Bearer ${caller.key}` },
      });
      const text = reading.text();
      await service.stop();
      expect(eventsIn(await text).at(-1)?.event).toBe('eval');
      expect((await (await createCaller()).get(`/api/v1/runs/${evalId}`, { headers: STREAM })).status).toBe(404);
    } finally {
      await service.stop();
    }
  });
});
