import type { MoneyFormat } from './amounts';
import { ConnectionError } from './errors';
import { readEvents, type StreamEvent } from './events';
import { unexpectedAnswer } from './transport';

/**
 * The events of an answer, once the first has come: whatever fails before it can be sent again. @throws ServiceError
 * unexpected_answer, ConnectionError
 */
export async function openStream(
  response: Response,
  stop: AbortController,
  money: MoneyFormat,
): Promise<AsyncGenerator<StreamEvent, void, undefined>> {
  if (response.body === null || response.headers.get('content-type')?.includes('text/event-stream') !== true) {
    stop.abort(unexpectedAnswer(response));
    throw unexpectedAnswer(response);
  }
  const events = readEvents(response.body, money);
  const first = await events.next();
  if (first.done === true)
    throw new ConnectionError('The stream ended before its first event.', { code: 'connection_lost' });
  return followedBy(first.value, events);
}

async function* followedBy<T>(first: T, rest: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  try {
    yield first;
    yield* rest;
  } finally {
    // For a reader who leaves at the first event, before the rest was begun.
    await rest.return();
  }
}
