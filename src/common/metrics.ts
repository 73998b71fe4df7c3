import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Money } from './money';

/** The part of a finished model call that the metrics record. */
export interface ModelCallSample {
  error: { code: string } | null;
  latencyMs: number;
  inputTokens: number;
  outputTokens: number;
  cost: Money;
}

/** All Prometheus metrics of the service. Label values come from fixed sets, never from a request, so that cardinality stays bounded. */
export class Metrics {
  readonly registry = new Registry();

  /** Responses by route pattern, method and status class. */
  readonly requests = new Counter({
    name: 'http_requests_total', help: 'HTTP requests answered.', labelNames: ['route', 'method', 'status'], registers: [this.registry],
  });
  readonly requestSeconds = new Histogram({
    name: 'http_request_duration_seconds', help: 'Seconds from the arrival of a request to the end of its response.', labelNames: ['route', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60], registers: [this.registry],
  });
  /** Finished compares by outcome: `stored`, `replayed`, or an error code. */
  readonly compares = new Counter({ name: 'compares_total', help: 'Finished compares.', labelNames: ['outcome'], registers: [this.registry] });
  readonly comparesInFlight = new Gauge({ name: 'compares_in_flight', help: 'Compares in progress.', registers: [this.registry] });
  /** Runs by what became of them in this process: `succeeded`, `failed`, `given_back` to the queue, or `lost` to another process. */
  readonly runs = new Counter({ name: 'runs_total', help: 'Runs that this process has stopped working on.', labelNames: ['outcome'], registers: [this.registry] });
  /** Finished model calls, each counted once including its retries: `ok`, or an error code. */
  readonly modelCalls = new Counter({ name: 'model_calls_total', help: 'Finished model calls.', labelNames: ['provider', 'outcome'], registers: [this.registry] });
  readonly modelCallSeconds = new Histogram({
    name: 'model_call_duration_seconds', help: 'Latency of model calls in seconds.', labelNames: ['provider'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60], registers: [this.registry],
  });
  readonly modelTokens = new Counter({ name: 'model_tokens_total', help: 'Tokens of successful model calls.', labelNames: ['provider', 'kind'], registers: [this.registry] });
  /** A float is fine here: it is monitored, never billed. */
  readonly vendorCost = new Counter({ name: 'vendor_cost_usd_total', help: 'Vendor cost in USD of successful model calls.', labelNames: ['provider'], registers: [this.registry] });
  /** Cost in USD of tokens that vendors reported above the possible maximum; callers are not charged for them. */
  readonly usageAboveLimit = new Counter({
    name: 'usage_above_limit_usd_total', help: 'Vendor cost in USD of tokens reported above the possible maximum, which callers are not charged for.', labelNames: ['provider'], registers: [this.registry],
  });

  /** Evals whose vendors responded but which could not be stored. */
  readonly unstoredEvals = new Counter({
    name: 'unstored_evals_total', help: 'Evals whose vendors responded but which could not be stored.', registers: [this.registry],
  });
  /** What vendors charge us for unstored evals, in USD. */
  readonly unstoredCost = new Counter({
    name: 'unstored_vendor_cost_usd_total', help: 'Vendor cost in USD of evals that could not be stored.', registers: [this.registry],
  });
  /** 1 while compares are refused because no eval can be stored. */
  readonly comparesSuspended = new Gauge({ name: 'compares_suspended', help: '1 while compares are refused because recent evals could not be stored.', registers: [this.registry] });
  /** Requests that a rate limit let pass because Redis did not respond. */
  readonly rateLimitsFailedOpen = new Counter({
    name: 'rate_limits_failed_open_total', help: 'Requests allowed because the rate limit store did not respond.', registers: [this.registry],
  });

  /** Records a finished model call; `provider` is a vendor from the catalog. */
  modelCallEnded(provider: string, { error, latencyMs, inputTokens, outputTokens, cost }: ModelCallSample): void {
    this.modelCalls.inc({ provider, outcome: error?.code ?? 'ok' });
    this.modelCallSeconds.observe({ provider }, latencyMs / 1000);
    this.modelTokens.inc({ provider, kind: 'input' }, inputTokens);
    this.modelTokens.inc({ provider, kind: 'output' }, outputTokens);
    this.vendorCost.inc({ provider }, Number(cost.toString()));
  }

  /** Records a compare that ended without an eval, under the error code its caller receives. */
  compareFailed(code: string): void {
    this.compares.inc({ outcome: code });
  }
}
