import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const EVENTS = 'text/event-stream; charset=utf-8';

/** One answer on its way to the client. Whatever waits here ends by an AbortError as soon as the connection is gone. */
export class Exchange {
  private readonly gone = new AbortController();
  private broken = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly headers: Record<string, string> = {},
  ) {
    response.on('close', () => this.gone.abort());
    // A write after the client left is no event of interest.
    response.on('error', () => undefined);
  }

  /** Calls back once the exchange is over, with whether the client went away before it had everything. */
  whenOver(tell: (closedEarly: boolean) => void): void {
    const over = () => tell(!this.response.writableFinished && !this.broken);
    if (this.gone.signal.aborted) over();
    else this.gone.signal.addEventListener('abort', over, { once: true });
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { signal: this.gone.signal });
  }

  /** Does nothing until the client goes away. */
  async hold(): Promise<never> {
    for (;;) await this.pause(3_600_000);
  }

  /** A whole body of any type. */
  send(status: number, type: string, body: string, headers: Record<string, string> = {}): void {
    this.response
      .writeHead(status, {
        ...this.headers,
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        ...headers,
      })
      .end(body);
  }

  /** Status and headers of an answer whose body follows; without a length it comes in chunks. */
  open(streamed: boolean, length?: number): void {
    const size = length === undefined ? {} : { 'content-length': length };
    this.response.writeHead(200, {
      ...this.headers,
      'content-type': streamed ? EVENTS : 'application/json',
      'cache-control': 'no-cache',
      ...size,
    });
    this.response.flushHeaders();
  }

  /** Status and headers of an answer that a test makes up itself. */
  begin(status: number, headers: Record<string, string>): void {
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  async write(text: string | Buffer): Promise<void> {
    if (!this.response.write(text)) await once(this.response, 'drain', { signal: this.gone.signal });
  }

  /** The last of the body goes out together with its end, so that no client can leave in between. */
  end(last = ''): void {
    this.response.end(last);
  }

  /** Sends this much and drops the connection. */
  cut(last: string): void {
    this.broken = true;
    this.response.write(last, () => this.response.destroy());
  }

  /** Drops the connection with a reset, unanswered. */
  reset(): void {
    this.broken = true;
    this.response.socket?.resetAndDestroy();
  }
}
