import type { ServerResponse } from 'node:http';

/** Whether this process is about to stop, and the answers that it still owes. */
export class Drain {
  private draining = false;
  private readonly open = new Set<ServerResponse>();

  get isDraining(): boolean {
    return this.draining;
  }

  /** Answers that are not yet written to their end. */
  get openAnswers(): number {
    return this.open.size;
  }

  /** From now on every answer says that its connection ends with it, also one whose request came before. */
  begin(): void {
    this.draining = true;
    for (const response of this.open) endConnectionWith(response);
  }

  /** Takes note of an answer, before anything of it is written. */
  track(response: ServerResponse): void {
    if (this.draining) endConnectionWith(response);
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
  }
}

function endConnectionWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
