import type { Dispatcher } from 'undici';
import { decodedBody, type BodySink } from './content-decoding';
import type { FairQueue } from '../../../platform/background/fair-queue';
import { VendorResponse, type ConnectionHandle, type ResponseHeaders } from './vendor-response';

// How long a vendor may take to end a body whose answer is complete, before its connection is given up.
const BODY_END_TIMEOUT_MS = 1000;
// This size, an event or two, is read in less time than a turn of the event loop takes (docs/decisions/0005).
const MAX_BYTES_AT_ONCE = 2048;
const BODY_NOT_NEEDED = new Error('The rest of the body is not needed.');

/** One request on the wire, from its dispatch to the end of its response's body. */
export class InFlightRequest implements Dispatcher.DispatchHandler, ConnectionHandle {
  private readonly headersReceived = Promise.withResolvers<VendorResponse>();
  private controller: Dispatcher.DispatchController | undefined;
  private received: VendorResponse | undefined;
  private body: BodySink | undefined;
  private readonly chunks: Buffer[] = [];
  private chunkBytes = 0;
  private hasEnded = false;
  private isClosed = false;
  private aborted: { reason: unknown } | undefined;
  private bodyEndTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly queue: FairQueue,
  ) {
    if (signal?.aborted === true) this.onAbort();
    else signal?.addEventListener('abort', this.onAbort);
  }

  /** Resolves when the headers have come. Rejects with what kept them from coming, or with the signal's reason. */
  get response(): Promise<VendorResponse> {
    return this.headersReceived.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.aborted !== undefined) controller.abort(this.aborted.reason as Error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // 100 and 103 only announce the response.
    if (status < 200) return;
    this.received = new VendorResponse(status, headers, this);
    this.body = decodedBody(this.received);
    this.headersReceived.resolve(this.received);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunkBytes += chunk.length;
    // Each event arrives as a separate chunk; chunks that arrive together are handed over together, which costs a
    // fraction.
    if (this.chunks.push(chunk) === 1) queueMicrotask(this.onChunks);
  }

  onResponseEnd(): void {
    this.close();
    this.hasEnded = true;
    if (this.chunks.length === 0) this.handOver();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.close();
    this.handOver();
    this.fail(error);
  }

  release(): void {
    this.dropBody();
    if (this.isClosed) return;
    this.signal?.removeEventListener('abort', this.onAbort);
    this.bodyEndTimer = setTimeout(() => this.abort(), BODY_END_TIMEOUT_MS).unref();
  }

  abort(reason: unknown = BODY_NOT_NEEDED): void {
    if (this.isClosed) return this.dropBody();
    this.close();
    this.aborted = { reason };
    this.fail(reason);
    // Without a controller the connection is still being made; the request then ends before it begins.
    this.controller?.abort(reason as Error);
  }

  private readonly onAbort = () => this.abort(this.signal?.reason);

  private readonly onChunks = () => {
    if (this.chunkBytes <= MAX_BYTES_AT_ONCE) this.handOver();
    else this.queue.enqueue(() => this.handOver());
  };

  private handOver(): void {
    const [first, ...others] = this.chunks.splice(0);
    this.chunkBytes = 0;
    if (first !== undefined) this.body?.push(others.length === 0 ? first : Buffer.concat([first, ...others]));
    if (this.hasEnded) this.body?.finish();
  }

  private fail(reason: unknown): void {
    this.headersReceived.reject(reason);
    this.received?.fail(reason);
    this.dropBody();
  }

  private dropBody(): void {
    this.body?.drop();
    this.body = undefined;
  }

  private close(): void {
    this.isClosed = true;
    clearTimeout(this.bodyEndTimer);
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}
