import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { FairQueue } from '../../../platform/background/fair-queue';
import { InFlightRequest } from './in-flight-request';
import type { VendorResponse } from './vendor-response';

const KEEP_ALIVE_MS = 30_000;

/** An address of a vendor, and the headers of every request to it. */
export interface Endpoint {
  origin: string;
  /** With the query, if there is one. */
  path: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * An endpoint below a base URL. Nothing is gained by compressing answers; a vendor that does so all the same is
 * understood.
 */
export function endpointOf(baseUrl: string, path: string, headers: Readonly<Record<string, string>>): Endpoint {
  const { origin, pathname, search } = new URL(baseUrl.replace(/\/$/, '') + path);
  const common = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': 'model-comparison-service',
  };
  return { origin, path: pathname + search, headers: { ...common, ...headers } };
}

/**
 * Sends requests to the vendors over connections that all calls share: undici's dispatcher, without the web streams of
 * `fetch`, which cost several times as much as
 * everything else in a call (docs/decisions/0005). Redirects are not followed, so that a key goes only where it was
 * meant to go.
 */
export class HttpTransport implements OnApplicationShutdown {
  private readonly queue = new FairQueue();

  /** `traceHeaders` returns headers that name the trace of a call; by default none. */
  constructor(
    private readonly dispatcher: Dispatcher = newAgent(),
    private readonly traceHeaders?: () => Readonly<Record<string, string>>,
  ) {}

  /**
   * Sends a JSON body. Resolves when the headers of the response have come; the signal ends the call, its body and its
   * connection. @throws whatever kept a response from beginning
   */
  async post({ origin, path, headers }: Endpoint, body: string, signal: AbortSignal): Promise<VendorResponse> {
    const request = new InFlightRequest(signal, this.queue);
    this.dispatcher.dispatch(
      {
        origin,
        path,
        method: 'POST',
        headers: this.traceHeaders === undefined ? headers : { ...headers, ...this.traceHeaders() },
        body,
      },
      request,
    );
    return request.response;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dispatcher.destroy();
  }
}

// No timeouts but the model call's own deadline, no pipelining, as many connections as there are calls.
function newAgent(): Agent {
  return new Agent({
    allowH2: false,
    pipelining: 1,
    connections: null,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
