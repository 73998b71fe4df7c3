import type { Dispatcher } from 'undici';
import { FairQueue } from '../../../platform/background/fair-queue';
import { InFlightRequest } from './in-flight-request';

const CONTROLLER = { abort: () => undefined } as unknown as Dispatcher.DispatchController;

/** A request whose response has begun; `queued` holds what waits for its turn. */
async function begun(): Promise<{
  request: InFlightRequest;
  queued: (() => void)[];
  chunks: string[];
  end: Promise<void>;
}> {
  const queued: (() => void)[] = [];
  const queue = new FairQueue();
  jest.spyOn(queue, 'enqueue').mockImplementation((task) => queued.push(task));
  const request = new InFlightRequest(undefined, queue);
  request.onRequestStart(CONTROLLER);
  request.onResponseStart(CONTROLLER, 200, { 'content-type': 'text/event-stream' });
  const chunks: string[] = [];
  const response = await request.response;
  const end = response.read((chunk) => {
    chunks.push(chunk.toString());
    return false;
  });
  return { request, queued, chunks, end };
}

const send = (request: InFlightRequest, ...texts: string[]) => {
  for (const text of texts) request.onResponseData(CONTROLLER, Buffer.from(text));
};

/** When the microtasks that are queued now have run. */
const microtasks = () => Promise.resolve();

describe('InFlightRequest', () => {
  test('hands an event over at once when it comes alone, without a turn of the event loop', async () => {
    const { request, queued, chunks } = await begun();
    send(request, 'one');
    await microtasks();
    send(request, 'two');
    await microtasks();
    expect({ chunks, waiting: queued.length }).toEqual({ chunks: ['one', 'two'], waiting: 0 });
  });

  test('hands events that come together over together', async () => {
    const { request, chunks } = await begun();
    send(request, 'one', 'two', 'three');
    await microtasks();
    expect(chunks).toEqual(['onetwothree']);
  });

  test('lets many events wait for their turn, with all that come meanwhile, in their order', async () => {
    const { request, queued, chunks, end } = await begun();
    const events = Array.from({ length: 20 }, (_, index) => `${index} `.padEnd(200, '.'));
    send(request, ...events);
    await microtasks();
    send(request, 'last');
    await microtasks();
    request.onResponseEnd();
    expect({ chunks, waiting: queued.length }).toEqual({ chunks: [], waiting: 1 });
    for (const task of queued) task();
    await end;
    expect(chunks).toEqual([`${events.join('')}last`]);
    expect(queued).toHaveLength(1);
  });

  test('hands over what came with the end of the body before the end', async () => {
    const { request, chunks, end } = await begun();
    send(request, 'one');
    request.onResponseEnd();
    await end;
    expect(chunks).toEqual(['one']);
  });

  describe('whose reader had enough before the end of the body', () => {
    const aborts = jest.fn();
    let request: InFlightRequest;
    beforeEach(async () => {
      jest.useFakeTimers({ doNotFake: ['queueMicrotask'] });
      aborts.mockClear();
      request = new InFlightRequest(undefined, new FairQueue());
      request.onRequestStart({ abort: aborts } as unknown as Dispatcher.DispatchController);
      request.onResponseStart(CONTROLLER, 200, {});
      const read = (await request.response).read(() => true);
      send(request, 'last');
      await read;
    });
    afterEach(() => void jest.useRealTimers());

    test('gives up the connection after a second, and not before', () => {
      jest.advanceTimersByTime(999);
      expect(aborts).not.toHaveBeenCalled();
      jest.advanceTimersByTime(1);
      expect(aborts).toHaveBeenCalledTimes(1);
    });

    test('keeps the connection of a body that ends within that second', () => {
      jest.advanceTimersByTime(999);
      request.onResponseEnd();
      jest.advanceTimersByTime(60_000);
      request.abort();
      expect(aborts).not.toHaveBeenCalled();
    });
  });

  test('reads what comes alone at once again after a burst', async () => {
    const { request, queued, chunks } = await begun();
    send(request, 'x'.repeat(5000));
    await microtasks();
    for (const task of queued) task();
    send(request, 'alone');
    await microtasks();
    expect(chunks).toEqual(['x'.repeat(5000), 'alone']);
    expect(queued).toHaveLength(1);
  });
});
