import type { Config } from '../config/config';

/** A load balancer in front usually keeps idle connections for 60 s, and must end them first. */
const KEEP_ALIVE_MS = 72_000;

/** Milliseconds within which headers and body of a request have to arrive. */
export const MAX_ARRIVAL_MS = 30_000;

/**
 * A compare needs the database three times, and each time may wait for a connection and for an answer, which a silent
 * server delays by half a second more.
 */
const DATABASE_WAITS = 6;
const DATABASE_GRACE_MS = 500;

/** The timeouts of the HTTP server, in milliseconds, so that slow and silent clients hold nothing for long. */
export function serverTimeouts({
  EVAL_TIMEOUT_MS: evalMs,
  DATABASE_TIMEOUT_MS: databaseMs,
}: Pick<Config, 'EVAL_TIMEOUT_MS' | 'DATABASE_TIMEOUT_MS'>) {
  const arrivalMs = Math.min(MAX_ARRIVAL_MS, evalMs);
  // Node checks for late requests at an interval, so a request may exceed its timeout by up to one interval.
  const checkIntervalMs = Math.ceil(arrivalMs / 10);
  // To Node, 0 means no timeout.
  const requestTimeoutMs = Math.max(1, arrivalMs - checkIntervalMs);
  return {
    requestTimeout: requestTimeoutMs,
    // Also for a connection that never sends anything.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: checkIntervalMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Without a byte in either direction: a client that stopped reading. A compare is silent while it runs.
    // While something waits to be written Node lets this time pass twice.
    connectionTimeout: evalMs + Math.max(arrivalMs, DATABASE_WAITS * (databaseMs + DATABASE_GRACE_MS)),
  };
}
