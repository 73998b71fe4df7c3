import type { ServerResponse } from 'node:http';

/** The shutdown state of this process, and the responses it still has to finish. */
export class Drain {
  private draining = false;
  private readonly open = new Set<ServerResponse>();

  get isDraining(): boolean {
    return this.draining;
  }

  /** Responses that are not fully written yet. */
  get openResponses(): number {
    return this.open.size;
  }

  /**
   * Starts draining: from now on every response closes its connection, including responses to requests that arrived
   * earlier.
   */
  begin(): void {
    this.draining = true;
    for (const response of this.open) closeConnectionAfter(response);
  }

  /** Registers a response before its headers are written. */
  track(response: ServerResponse): void {
    if (this.draining) closeConnectionAfter(response);
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
  }
}

function closeConnectionAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
