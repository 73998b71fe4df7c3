import { randomUUID } from 'node:crypto';
import { Api } from '../support/api';
import { createCaller, eventually } from '../support/factories';
import { freePort } from '../support/free-port';
import { ended, queue } from '../support/runs';
import { startService, type ServiceProcess } from '../support/service';
import { startStripeServer, STRIPE_SETTINGS } from '../support/stripe-server';
import { vendorScript } from '../support/vendor/vendor-server';
import { vendorVariables } from '../support/vendors';

/** Metrics of periodic work, not of requests. */
const COUNTED_LATER = [
  'mcs_meter_events{',
  'mcs_experiments{',
  'mcs_migrations_pending',
  'mcs_clock_offset_seconds',
  'mcs_task_last_success_timestamp_seconds{',
  'mcs_shared_store_up',
];

/**
 * A service with every source of metrics: Stripe, real vendors, and a Redis that does not answer, so that requests pass
 * uncounted.
 */
export async function startMeasuredService(
  databaseUrl: string,
  vendorUrl: string,
  variables: Record<string, string> = {},
): Promise<{ service: ServiceProcess; stop: () => Promise<void> }> {
  const stripe = await startStripeServer();
  const service = await startService({
    DATABASE_URL: databaseUrl,
    MIGRATE_ON_START: 'true',
    ...vendorVariables(vendorUrl),
    REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    LOG_LEVEL: 'fatal',
    ...STRIPE_SETTINGS,
    STRIPE_STAND_IN: stripe.url,
    ...variables,
  });
  const stop = async () => {
    await service.stop();
    await stripe.close();
  };
  return { service, stop };
}

/** Touches everything that metrics tell of. */
export async function touchEverything(service: ServiceProcess): Promise<void> {
  const caller = await createCaller({ at: service.url, freeQuota: 1 });
  const compare = (prompt: string, model: string, more: object = {}) =>
    caller.compare({ prompt, models: [model], ...more });
  await compare('Hello', 'sim-swift');
  await compare('[[sim:fail=overloaded]]', 'sim-swift');
  await compare('Hello', 'sim-sage', { options: { max_cost_usd: 1e-9 } });
  // More tokens than are possible.
  await compare(vendorScript(randomUUID(), { '*': { outputTokens: 100_000_000 } }), 'gpt-6-luna', {
    options: { max_tokens: 50 },
  });
  await compare('[[sim:stated-cost=1]]', 'sim-swift');
  // Refused, so that its cost counts as well.
  await compare('[[sim:answered-by=another]]', 'sim-swift', { options: { exact_model: true } });
  const run = await queue(caller, { prompt: 'Hello', models: ['sim-swift'] });
  await ended(caller, run.body.run_id);
  const {
    body: { dataset_id: dataset },
  } = await caller.post('/api/v1/datasets', { rows: [{ input: 'Hello' }] });
  const {
    body: { experiment_id: id },
  } = await caller.post('/api/v1/experiments', { dataset, prompt: '{input}', models: ['sim-swift'], max_cost_usd: 1 });
  await caller.get(`/api/v1/experiments/${id}`, { headers: { prefer: 'wait=20' } });
}

/** The scrape of a service after everything was measured once. */
export async function scrapeOf(service: ServiceProcess): Promise<string> {
  let text = '';
  await eventually('everything was measured once', async () => {
    text = (await new Api(undefined, service.url).get('/metrics')).text;
    return COUNTED_LATER.every((metric) => text.includes(`\n${metric}`));
  });
  return text;
}
