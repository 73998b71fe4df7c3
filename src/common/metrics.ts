import { Counter, Registry } from 'prom-client';

/** Every number that operators can watch, declared by name in one place; never a label that a caller can invent. */
export class Metrics {
  readonly registry = new Registry();

  /** Evals whose vendors answered but which could not be stored. */
  readonly unstoredEvals = new Counter({
    name: 'unstored_evals_total', help: 'Evals whose vendors answered but which the database did not take.', registers: [this.registry],
  });
  /** What vendors charge us for them, in USD; a float, because it is watched and never billed. */
  readonly unstoredCost = new Counter({
    name: 'unstored_vendor_cost_usd_total', help: 'Vendor cost in USD of evals that the database did not take.', registers: [this.registry],
  });
  /** Decisions of a rate limit that let a caller pass because the shared store did not answer. */
  readonly rateLimitsFailedOpen = new Counter({
    name: 'rate_limits_failed_open_total', help: 'Requests let pass because the store of the rate limits did not answer.', registers: [this.registry],
  });
}
