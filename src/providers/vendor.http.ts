import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import { VendorResponse, type Wire } from './vendor.response';

/**
 * How the SDKs reach the vendors: a `fetch` of as much as they need of one, over connections that are kept for all calls.
 * It costs a fifth of the built-in one, whose streams and signals are made for browsers. Redirects are answers like any other: a key goes where it was meant to go.
 */
export class VendorHttp implements OnApplicationShutdown {
  constructor(private readonly dispatcher: Dispatcher = newAgent()) {}

  /** For the `fetch` option of an SDK's client. @throws whatever kept an answer from beginning */
  readonly fetch = async (input: string | URL | Request, init: VendorInit = {}): Promise<Response> => {
    const { origin, pathname, search, href } = new URL(input instanceof Request ? input.url : input);
    const exchange = new Exchange(href, init.calledOff);
    // Nothing is gained by compressing a stream of small events; a vendor that does so all the same is understood.
    const headers = { ...Object.fromEntries(init.headers as Headers), 'accept-encoding': 'identity' };
    this.dispatcher.dispatch({ origin, path: pathname + search, method: 'POST', headers, body: init.body as string }, exchange);
    return (await exchange.answered.promise) as unknown as Response;
  };

  async onApplicationShutdown(): Promise<void> {
    await this.dispatcher.destroy();
  }
}

/** What a call hands to our fetch through the SDK. */
interface VendorInit extends RequestInit {
  calledOff?: AbortSignal;
}

/** Request options of an SDK under which a call ends with the signal. Given as the SDK's own `signal`, it would cost a third of the call: it is watched by weak references and finalizers there. */
export function calledOffBy(calledOff: AbortSignal): { fetchOptions: object } {
  return { fetchOptions: { calledOff } };
}

const KEEP_ALIVE_MS = 30_000;

// No timeouts but the model call's own, no pipelining, as many connections as there are calls.
function newAgent(): Agent {
  return new Agent({ allowH2: false, pipelining: 1, connections: null, keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 });
}

// How long a vendor may take to end a body whose answer is whole, before its connection is given up.
const GRACE_MS = 1000;
const LEFT = new Error('The rest was not wanted.');

/** One call on the wire. */
class Exchange implements Dispatcher.DispatchHandler, Wire {
  readonly answered = Promise.withResolvers<VendorResponse>();
  private controller: Dispatcher.DispatchController | undefined;
  private response: VendorResponse | undefined;
  private body: Body | undefined;
  private isOver = false;
  private cutBecause: { reason: unknown } | undefined;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly calledOff: AbortSignal | undefined,
  ) {
    if (calledOff?.aborted === true) this.onCallOff();
    else calledOff?.addEventListener('abort', this.onCallOff);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.cutBecause !== undefined) controller.abort(this.cutBecause.reason as Error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    // 100 and 103 only announce the answer.
    if (status < 200) return;
    this.response = new VendorResponse(this.url, status, headersOf(headers), this);
    this.body = bodyFor(this.response);
    this.answered.resolve(this.response);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body?.push(chunk);
  }

  onResponseEnd(): void {
    this.close();
    this.body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.close();
    this.answered.reject(error);
    this.response?.fail(error);
  }

  leave(): void {
    if (this.isOver) return;
    this.calledOff?.removeEventListener('abort', this.onCallOff);
    this.grace = setTimeout(() => this.cut(), GRACE_MS).unref();
  }

  cut(reason: unknown = LEFT): void {
    if (this.isOver) return;
    this.close();
    this.cutBecause = { reason };
    this.answered.reject(reason);
    this.response?.fail(reason);
    // Without a controller the connection is still being made; the request then ends before it begins.
    this.controller?.abort(reason as Error);
  }

  private readonly onCallOff = () => this.cut(this.calledOff?.reason);

  private close(): void {
    this.isOver = true;
    clearTimeout(this.grace);
    this.calledOff?.removeEventListener('abort', this.onCallOff);
  }
}

function headersOf(raw: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const name in raw) {
    for (const value of [raw[name] ?? []].flat()) headers.append(name, value);
  }
  return headers;
}

/** Where the bytes of a body go. */
type Body = Pick<VendorResponse, 'push' | 'finish'>;

const SOONEST = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const DECOMPRESSORS = {
  gzip: () => createGunzip(SOONEST), 'x-gzip': () => createGunzip(SOONEST), deflate: () => createInflate(SOONEST), br: () => createBrotliDecompress(), zstd: () => createZstdDecompress(),
};

function bodyFor(response: VendorResponse): Body {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (!Object.hasOwn(DECOMPRESSORS, encoding)) return response;
  const plain = DECOMPRESSORS[encoding as keyof typeof DECOMPRESSORS]();
  plain.on('data', (chunk: Buffer) => response.push(chunk));
  plain.on('end', () => response.finish());
  plain.on('error', (error) => response.fail(error));
  return { push: (chunk) => void plain.write(chunk), finish: () => void plain.end() };
}
