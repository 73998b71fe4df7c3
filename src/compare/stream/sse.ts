/** Serializes one server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html); the data is one line of JSON. */
export function frame(id: number, event: string, data: unknown): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment, which readers ignore; it keeps proxies from closing an idle connection. */
export const HEARTBEAT = ': still running\n\n';
