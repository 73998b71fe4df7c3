import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Drain } from './drain';

/** A response to a request, and the headers that were set on it. */
function responseWith(headersSent = false) {
  const headers: Record<string, string> = {};
  const response = Object.assign(new EventEmitter(), {
    headersSent,
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
  });
  return { headers, response: response as unknown as ServerResponse };
}

describe('Drain', () => {
  test('closes the connection of every response, of earlier requests and later ones, unless its headers are sent', () => {
    const drain = new Drain();
    const [early, sent, later] = [responseWith(), responseWith(true), responseWith()];
    for (const { response } of [early, sent]) drain.track(response);
    expect([drain.isDraining, early.headers]).toEqual([false, {}]);
    drain.begin();
    drain.track(later.response);
    expect([drain.isDraining, early.headers, sent.headers, later.headers]).toEqual([
      true,
      { connection: 'close' },
      {},
      { connection: 'close' },
    ]);
  });

  test('counts the responses that are not written to the end', () => {
    const drain = new Drain();
    const responses = [responseWith().response, responseWith().response];
    for (const response of responses) drain.track(response);
    expect(drain.openResponses).toBe(2);
    responses[0]?.emit('close');
    expect(drain.openResponses).toBe(1);
  });
});
