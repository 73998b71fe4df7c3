import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { rawRequest, requestText } from '../../support/raw';
import { startService, type ServiceProcess } from '../../support/service';
import { worker } from '../../support/worker';

const STREAMS = 500;
const MODELS = ['sim-swift', 'sim-sage'];

/** The events of a stream, in the order in which they came. */
function eventsOf(text: string): { id: number; name: string; data: Json }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [, id, name = '', data = ''] = /^id: (\d+)\nevent: (\S+)\ndata: (.*)$/.exec(block) ?? [];
      return { id: Number(id), name, data: JSON.parse(data) };
    });
}

/** All events of the compare with that number, in order: each model's text, then its result, the eval last. */
function expectWhole(text: string, index: number): void {
  const events = eventsOf(text);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, position) => position + 1));
  const last = events.at(-1);
  expect([events[0]?.name, last?.name, last?.data.prompt.endsWith(` ${index}`)]).toEqual([
    'eval-started',
    'eval',
    true,
  ]);
  for (const { model, output } of last?.data.results ?? []) {
    const own = events.filter(({ name, data }) => (name === 'delta' || name === 'result') && data.model === model);
    expect(own.findIndex(({ name }) => name === 'result')).toBe(own.length - 1);
    expect(
      own
        .slice(0, -1)
        .map(({ data }) => data.text)
        .join(''),
    ).toBe(output);
    // Text that is late comes together.
    expect(own.length).toBeGreaterThan(2);
  }
}

describe('500 compares as events at the same time', () => {
  let service: ServiceProcess;
  let caller: Caller;
  beforeAll(async () => {
    const many = String(STREAMS);
    service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      MAX_CONCURRENT_COMPARES: many,
      MAX_CONCURRENT_COMPARES_PER_KEY: many,
      RATE_LIMIT_COMPARE_PER_MINUTE: many,
      MAX_EVENT_LOOP_DELAY_MS: '0',
      DATABASE_TIMEOUT_MS: '60000',
    });
    caller = await createCaller({ at: service.url, freeQuota: 0 });
  });
  afterAll(async () => void (await service.stop()));

  it('are served by one process, each with all its events in order', async () => {
    const headers = {
      Authorization: `Bearer ${caller.key ?? ''}`,
      Accept: 'text/event-stream',
      'Content-Type': 'application/json',
    };
    const answers = await Promise.all(
      Array.from({ length: STREAMS }, (_, index) => {
        const body = { prompt: `[[sim:slow=4000]][[sim:pace=5]][[sim:length=20]] ${index}`, models: MODELS };
        return rawRequest(service.url, requestText('POST', '/api/v1/compare', headers, JSON.stringify(body)), 200_000);
      }),
    );
    expect(answers.filter((answer) => answer?.status !== 200)).toEqual([]);
    for (const [index, answer] of answers.entries()) expectWhole(answer?.body ?? '', index);
    expect((await caller.usage()).eval_count).toBe(STREAMS);
  }, 300_000);
});
