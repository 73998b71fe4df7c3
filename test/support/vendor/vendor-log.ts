/** One call as the vendor saw it. */
export interface LoggedCall {
  vendor: string;
  model: string;
  /** The parsed body; empty when it was no JSON object. */
  body: Record<string, unknown>;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Milliseconds on the vendor server's own monotonic clock, comparable between calls. */
  receivedAt: number;
  /** The how-manieth call of this run to this model, from 1. */
  attempt: number;
  /** True if the client disconnected before the whole answer was sent. */
  closedEarly: boolean;
}

/** All that a run did to the vendors. */
export interface RunLog {
  /** In the order in which they arrived. */
  calls: LoggedCall[];
  /** The most calls that were open at the same time. */
  mostAtOnce: number;
  /** Calls that are open now. */
  open: number;
  /** Calls that the client gave up. */
  closedEarly: number;
}

/** Remembers every call under its run, for as long as the server lives. */
export class VendorLog {
  private readonly runs = new Map<string, RunLog>();

  /** Takes down a call that has begun. */
  begin(run: string, call: Omit<LoggedCall, 'attempt' | 'closedEarly'>): LoggedCall {
    const log = this.read(run);
    this.runs.set(run, log);
    const attempt = 1 + log.calls.filter(({ vendor, model }) => vendor === call.vendor && model === call.model).length;
    const logged = { ...call, attempt, closedEarly: false };
    log.calls.push(logged);
    log.open += 1;
    log.mostAtOnce = Math.max(log.mostAtOnce, log.open);
    return logged;
  }

  /** Takes down that a call is over. */
  end(run: string, call: LoggedCall, closedEarly: boolean): void {
    const log = this.read(run);
    log.open -= 1;
    if (!closedEarly) return;
    call.closedEarly = true;
    log.closedEarly += 1;
  }

  /** The log of a run; an unknown run has no calls. */
  read(run: string): RunLog {
    return this.runs.get(run) ?? { calls: [], mostAtOnce: 0, open: 0, closedEarly: 0 };
  }
}

/** Asks a vendor server, in whichever process it runs, what a run did. */
export async function vendorLog(url: string, run: string): Promise<RunLog> {
  return (await ask(`${url}/log?run=${encodeURIComponent(run)}`)) as RunLog;
}

/**
 * Asks a vendor server how many connections of its clients are open, idle ones included, without the connections of
 * questions like this.
 */
export async function vendorSockets(url: string): Promise<number> {
  return ((await ask(`${url}/sockets`)) as { open: number }).open;
}

async function ask(address: string): Promise<unknown> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The vendor server answered ${response.status} to ${address}.`);
  return response.json();
}
