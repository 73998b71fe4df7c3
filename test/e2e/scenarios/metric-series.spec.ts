import { randomUUID } from 'node:crypto';
import { Histogram, Registry } from 'prom-client';
import { Api } from '../../support/api';
import { createCaller } from '../../support/factories';
import { workerVariables } from '../../support/redis';
import { startService } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { vendorScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const MAX_SERIES = 5000;
/** How many times as long a scrape may take as writing as many series once for each process. */
const MAX_SCRAPE_RATIO = 3;

/** Milliseconds of the quickest of some turns of each: others may be using this machine, so they take turns. */
async function quickestMs(...works: (() => Promise<unknown>)[]): Promise<number[]> {
  const quickest = works.map(() => Infinity);
  for (let turn = 0; turn < 40; turn += 1) {
    for (const [index, work] of works.entries()) {
      const begun = performance.now();
      await work();
      quickest[index] = Math.min(quickest[index] ?? 0, performance.now() - begun);
    }
  }
  return quickest;
}

/** As many series of histograms, in this process. */
function yardstick(series: number): Registry {
  const registry = new Registry();
  const buckets = Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index);
  const histogram = new Histogram({
    name: 'yardstick_seconds',
    help: 'As many series.',
    labelNames: ['operation', 'provider', 'model'],
    buckets,
    registers: [registry],
  });
  // Each has its buckets, the one without a bound, a sum and a count.
  for (let model = 0; model < series / (buckets.length + 3); model += 1)
    histogram.observe({ operation: 'chat', provider: 'openai', model: `a-model-${model}` }, 0.5);
  return registry;
}

describe.each([1, 4])('The metrics with WEB_CONCURRENCY=%d', (workers) => {
  it('are few enough and quickly read after every model of the catalog has answered and failed, and have no value that a caller has invented', async () => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      ...(await workerVariables(workers)),
      MAX_VENDOR_RETRIES: '0',
      RATE_LIMIT_COMPARE_PER_MINUTE: '10000',
      ...vendorVariables(worker().vendorUrl),
    });
    const caller = await createCaller({ at: service.url });
    const { models } = (await caller.get('/api/v1/models')).body as { models: { id: string; provider: string }[] };
    for (const { id, provider } of models) {
      const faults =
        provider === 'simulator'
          ? '[[sim:fail=overloaded]]'
          : vendorScript(randomUUID(), { '*': { fault: 'server-error' } });
      for (const accept of ['application/json', 'text/event-stream'])
        expect(
          (await caller.compare({ prompt: vendorScript(randomUUID(), {}), models: [id] }, { headers: { accept } }))
            .status,
        ).toBe(200);
      expect((await caller.compare({ prompt: faults, models: [id] })).status).toBe(502);
    }
    for (const method of ['GET', 'PUT', 'PROPFIND']) await fetch(`${service.url}/INVENTED-${method}`, { method });
    await fetch(`${service.url}/api/v1/compare`, { method: 'PUT' });
    await caller.compare({ prompt: 'x', models: ['INVENTED-model'] });
    await caller.get('/api/v1/evals/INVENTED');
    const { text } = await new Api(undefined, service.url).get('/metrics');
    expect(text).not.toMatch(/INVENTED|PROPFIND|PUT/);
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.filter((line) => line.startsWith('gen_ai_client_operation_duration_seconds_count'))).toHaveLength(
      2 * models.length,
    );
    expect(
      series.filter((line) => line.startsWith('gen_ai_client_operation_time_to_first_chunk_seconds_count')),
    ).toHaveLength(models.length);
    expect(series.length).toBeLessThanOrEqual(MAX_SERIES);
    const registries = Array.from({ length: workers }, () => yardstick(series.length));
    const ratio = async () => {
      const [scrapeMs = NaN, yardstickMs = NaN] = await quickestMs(
        async () => (await fetch(`${service.url}/metrics`)).text(),
        async () => {
          for (const registry of registries) await registry.metrics();
        },
      );
      return scrapeMs / yardstickMs;
    };
    expect(await leastWithin(MAX_SCRAPE_RATIO, ratio)).toBeLessThanOrEqual(MAX_SCRAPE_RATIO);
    await service.stop();
  }, 300_000);
});
