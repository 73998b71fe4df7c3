import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Money } from './money';

/** How one model call ended, as far as it is counted. */
export interface CountedCall {
  error: { code: string } | null;
  latencyMs: number;
  inputTokens: number;
  outputTokens: number;
  cost: Money;
}

/** Every number that operators can watch, declared by name in one place; never a label that a caller can invent. */
export class Metrics {
  readonly registry = new Registry();

  /** Answers by route pattern, method and class of the status. */
  readonly requests = new Counter({
    name: 'http_requests_total', help: 'Requests answered.', labelNames: ['route', 'method', 'status'], registers: [this.registry],
  });
  readonly requestSeconds = new Histogram({
    name: 'http_request_duration_seconds', help: 'From the arrival of a request to the end of its answer.', labelNames: ['route', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60], registers: [this.registry],
  });
  /** Compares that have ended: `stored`, `replayed`, or the code of the error that ended them. */
  readonly compares = new Counter({ name: 'compares_total', help: 'Compares ended.', labelNames: ['outcome'], registers: [this.registry] });
  readonly comparesInFlight = new Gauge({ name: 'compares_in_flight', help: 'Compares under way.', registers: [this.registry] });
  /** Calls of models with all their retries: `ok`, or the code of the failure. */
  readonly modelCalls = new Counter({ name: 'model_calls_total', help: 'Model calls ended.', labelNames: ['provider', 'outcome'], registers: [this.registry] });
  readonly modelCallSeconds = new Histogram({
    name: 'model_call_duration_seconds', help: 'Latency of model calls.', labelNames: ['provider'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60], registers: [this.registry],
  });
  readonly modelTokens = new Counter({ name: 'model_tokens_total', help: 'Tokens of answered model calls.', labelNames: ['provider', 'kind'], registers: [this.registry] });
  /** A float, because it is watched and never billed. */
  readonly vendorCost = new Counter({ name: 'vendor_cost_usd_total', help: 'Vendor cost in USD of answered model calls.', labelNames: ['provider'], registers: [this.registry] });
  /** What vendors count above anything possible, in USD; a float, because it is watched and never billed. Callers do not pay it. */
  readonly usageAboveLimit = new Counter({
    name: 'usage_above_limit_usd_total', help: 'Vendor cost in USD of tokens that vendors counted above what was possible, which callers are not charged.', labelNames: ['provider'], registers: [this.registry],
  });

  /** Evals whose vendors answered but which could not be stored. */
  readonly unstoredEvals = new Counter({
    name: 'unstored_evals_total', help: 'Evals whose vendors answered but which the database did not take.', registers: [this.registry],
  });
  /** What vendors charge us for them, in USD; a float, because it is watched and never billed. */
  readonly unstoredCost = new Counter({
    name: 'unstored_vendor_cost_usd_total', help: 'Vendor cost in USD of evals that the database did not take.', registers: [this.registry],
  });
  /** 1 while compares are refused because no eval can be stored. */
  readonly comparesSuspended = new Gauge({ name: 'compares_suspended', help: '1 while compares are refused because the last evals could not be stored.', registers: [this.registry] });
  /** Decisions of a rate limit that let a caller pass because the shared store did not answer. */
  readonly rateLimitsFailedOpen = new Counter({
    name: 'rate_limits_failed_open_total', help: 'Requests let pass because the store of the rate limits did not answer.', registers: [this.registry],
  });

  /** Counts a model call that has ended, of a vendor from the catalog. */
  modelCallEnded(provider: string, { error, latencyMs, inputTokens, outputTokens, cost }: CountedCall): void {
    this.modelCalls.inc({ provider, outcome: error?.code ?? 'ok' });
    this.modelCallSeconds.observe({ provider }, latencyMs / 1000);
    this.modelTokens.inc({ provider, kind: 'input' }, inputTokens);
    this.modelTokens.inc({ provider, kind: 'output' }, outputTokens);
    this.vendorCost.inc({ provider }, Number(cost.toString()));
  }

  /** Counts a compare that ended without an eval, under the code that its caller is answered. */
  compareFailed(code: string): void {
    this.compares.inc({ outcome: code });
  }
}
