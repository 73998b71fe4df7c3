import type { IncomingHttpHeaders } from 'node:http';

/**
 * True if an event stream client reconnects by itself. It gets 204, so that it stops: running the request again would
 * charge for a second eval.
 * With an Idempotency-Key the request goes on, because it returns the first eval at no cost.
 */
export function isReconnect({ headers }: { headers: IncomingHttpHeaders }): boolean {
  return headers['last-event-id'] !== undefined && headers['idempotency-key'] === undefined;
}
