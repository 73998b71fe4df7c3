import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher } from 'undici';
import type { RequestHead } from '../sdk-request';
import { FairQueue } from './fair-queue';
import { StreamingResponse, type ResponseHeaders, type ConnectionHandle } from './streaming-response';

/**
 * The way to the vendors, over connections that are kept for all calls. It costs a fifth of the built-in fetch, whose streams and signals are made
 * for browsers. Redirects are answers like any other: a key goes where it was meant to go.
 */
export class HttpTransport implements OnApplicationShutdown {
  private readonly turns = new FairQueue();

  constructor(private readonly dispatcher: Dispatcher = newAgent()) {}

  /** Posts the request; resolves when an answer begins. The signal ends the call, its body and its connection. @throws whatever kept an answer from beginning */
  async post({ origin, path, headers }: RequestHead, body: string, calledOff: AbortSignal): Promise<StreamingResponse> {
    const exchange = new InFlightRequest(calledOff, this.turns);
    // Nothing is gained by compressing a stream of small events; a vendor that does so all the same is understood.
    this.dispatcher.dispatch({ origin, path, method: 'POST', headers: { ...headers, 'accept-encoding': 'identity' }, body }, exchange);
    return exchange.headersReceived.promise;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dispatcher.destroy();
  }
}

const KEEP_ALIVE_MS = 30_000;

// No timeouts but the model call's own, no pipelining, as many connections as there are calls.
function newAgent(): Agent {
  return new Agent({ allowH2: false, pipelining: 1, connections: null, keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 });
}

// How long a vendor may take to end a body whose answer is whole, before its connection is given up.
const BODY_END_TIMEOUT_MS = 1000;
const BODY_NOT_NEEDED = new Error('The rest was not wanted.');

/** One call on the wire. */
class InFlightRequest implements Dispatcher.DispatchHandler, ConnectionHandle {
  readonly headersReceived = Promise.withResolvers<StreamingResponse>();
  private controller: Dispatcher.DispatchController | undefined;
  private response: StreamingResponse | undefined;
  private body: Body | undefined;
  private readonly pieces: Buffer[] = [];
  private hasEnded = false;
  private isOver = false;
  private cutBecause: { reason: unknown } | undefined;
  private grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly signal: AbortSignal,
    private readonly turns: FairQueue,
  ) {
    if (signal.aborted) this.onCallOff();
    else signal.addEventListener('abort', this.onCallOff);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.cutBecause !== undefined) controller.abort(this.cutBecause.reason as Error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    // 100 and 103 only announce the answer.
    if (status < 200) return;
    this.response = new StreamingResponse(status, new ReceivedHeaders(headers), this);
    this.body = bodyFor(this.response);
    this.headersReceived.resolve(this.response);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // An event is a piece of its own on the wire; those that come together are handed over together, which costs a fraction.
    if (this.pieces.push(chunk) === 1) this.turns.enqueue(() => this.handOver());
  }

  onResponseEnd(): void {
    this.close();
    this.hasEnded = true;
    if (this.pieces.length === 0) this.handOver();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.close();
    this.handOver();
    this.headersReceived.reject(error);
    this.response?.fail(error);
    this.drop();
  }

  release(): void {
    this.drop();
    if (this.isOver) return;
    this.signal.removeEventListener('abort', this.onCallOff);
    this.grace = setTimeout(() => this.abort(), BODY_END_TIMEOUT_MS).unref();
  }

  abort(reason: unknown = BODY_NOT_NEEDED): void {
    this.drop();
    if (this.isOver) return;
    this.close();
    this.cutBecause = { reason };
    this.headersReceived.reject(reason);
    this.response?.fail(reason);
    // Without a controller the connection is still being made; the request then ends before it begins.
    this.controller?.abort(reason as Error);
  }

  private handOver(): void {
    const [first, ...others] = this.pieces.splice(0);
    if (first !== undefined) this.body?.push(others.length === 0 ? first : Buffer.concat([first, ...others]));
    if (this.hasEnded) this.body?.finish();
  }

  private drop(): void {
    this.body?.drop();
    this.body = undefined;
  }

  private readonly onCallOff = () => this.abort(this.signal.reason);

  private close(): void {
    this.isOver = true;
    clearTimeout(this.grace);
    this.signal.removeEventListener('abort', this.onCallOff);
  }
}

/** By lower-case name, as undici gives them. */
type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers to look up, without the checks that the platform's own make of every one. */
class ReceivedHeaders implements ResponseHeaders {
  constructor(private readonly raw: RawHeaders) {}

  get(name: string): string | null {
    const value = this.raw[name.toLowerCase()];
    return value === undefined ? null : [value].flat().join(', ');
  }
}

/** Where the bytes of a body go. */
interface Body {
  push(chunk: Buffer): void;
  finish(): void;
  /** Nothing more of it is wanted: what is left is not even decompressed. */
  drop(): void;
}

const SOONEST = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
// As much memory as RFC 9659 lets a sender demand; zstd itself would grant sixteen times that.
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const DECOMPRESSORS = {
  gzip: () => createGunzip(SOONEST), 'x-gzip': () => createGunzip(SOONEST), deflate: () => createInflate(SOONEST), br: () => createBrotliDecompress(), zstd: () => createZstdDecompress(ZSTD),
};

function bodyFor(response: StreamingResponse): Body {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (!Object.hasOwn(DECOMPRESSORS, encoding)) return { push: (chunk) => response.push(chunk), finish: () => response.finish(), drop: () => undefined };
  const plain = DECOMPRESSORS[encoding as keyof typeof DECOMPRESSORS]();
  plain.on('data', (chunk: Buffer) => response.push(chunk));
  plain.on('end', () => response.finish());
  plain.on('error', (error) => response.fail(error));
  return { push: (chunk) => void plain.write(chunk), finish: () => void plain.end(), drop: () => void plain.destroy() };
}
