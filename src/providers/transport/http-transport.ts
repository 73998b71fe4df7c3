import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { FairQueue } from '../../background/fair-queue';
import { InFlightRequest } from './in-flight-request';

const KEEP_ALIVE_MS = 30_000;

/**
 * How the SDKs reach the vendors: a `fetch` of as much as they need of one, over connections that all calls share. It skips the web streams of the built-in
 * fetch, which cost several times as much as everything else in a call (docs/decisions/0005). Redirects are not followed, so that a key goes only where it was meant to go.
 */
export class HttpTransport implements OnApplicationShutdown {
  private readonly queue = new FairQueue();

  /** `traceHeaders` returns headers that name the trace of a call; by default none. */
  constructor(
    private readonly dispatcher: Dispatcher = newAgent(),
    private readonly traceHeaders: () => Readonly<Record<string, string>> = () => ({}),
  ) {}

  /** For the `fetch` option of an SDK's client. Resolves with a `StreamingResponse` when its headers have come; the signal ends the call, its body and its connection. @throws whatever kept a response from beginning */
  readonly fetch = async (url: string | URL | Request, { method = 'GET', headers, body, signal }: RequestInit = {}): Promise<Response> => {
    const { origin, pathname, search } = new URL(url instanceof Request ? url.url : url);
    const request = new InFlightRequest(signal ?? undefined, this.queue);
    this.dispatcher.dispatch({
      origin,
      path: pathname + search,
      method,
      // Nothing is gained by compressing a stream of small events; a vendor that does so all the same is understood.
      headers: { ...Object.fromEntries(headers as Headers), 'accept-encoding': 'identity', ...this.traceHeaders() },
      body: body as string,
    }, request);
    return request.response;
  };

  async onApplicationShutdown(): Promise<void> {
    await this.dispatcher.destroy();
  }
}

// No timeouts but the model call's own deadline, no pipelining, as many connections as there are calls.
function newAgent(): Agent {
  return new Agent({ allowH2: false, pipelining: 1, connections: null, keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 });
}
