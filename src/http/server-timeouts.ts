/** A load balancer in front usually keeps idle connections for 60 s, and must be the one that ends them. */
const KEEP_ALIVE_MS = 72_000;

/** How long a connection may take over what it does, so that slow and silent clients hold nothing for long; as the HTTP server wants it. */
export function serverTimeouts({ REQUEST_TIMEOUT_MS: arrivalMs, EVAL_TIMEOUT_MS: evalMs }: { REQUEST_TIMEOUT_MS: number; EVAL_TIMEOUT_MS: number }) {
  // Node looks for late requests now and then; what is late at one look must have begun a look before the time is up.
  const lookMs = Math.ceil(arrivalMs / 10);
  // To Node 0 means for ever.
  const lateMs = Math.max(1, arrivalMs - lookMs);
  return {
    requestTimeout: lateMs,
    // Also for a connection that never says anything.
    http: { headersTimeout: lateMs, connectionsCheckingInterval: lookMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Without a byte in either direction: a reader who no longer reads. A compare is silent for as long as it runs.
    // While something waits to be written Node lets this time pass twice.
    connectionTimeout: evalMs + arrivalMs,
  };
}
