import { randomUUID } from 'node:crypto';
import type { Answer, Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { startService, type ServiceProcess } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { vendorScript, type ModelScript } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

const ESTIMATE = '/api/v1/compare/estimate';

/**
 * Ideographs as a text of such a length may have them at worst: hardly two of them are one token. Each seed gives
 * another text.
 */
function ideographs(length: number, seed: number): string {
  return Array.from({ length }, (_, index) =>
    String.fromCharCode(0x4e00 + ((index * 7919 + index * index + seed * 31) % 20_000)),
  ).join('');
}

interface Timed<T> {
  answer: T;
  tookMs: number;
}

async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const begun = performance.now();
  return { answer: await work, tookMs: performance.now() - begun };
}

/** The longest that another request waits while some work is done. */
async function longestWaitDuring(url: string, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  void work
    .finally(() => {
      isDone = true;
    })
    .catch(() => undefined);
  let longest = 0;
  while (!isDone)
    longest = Math.max(longest, (await timed(fetch(`${url}/health/live`).then((answer) => answer.text()))).tookMs);
  return longest;
}

describe('Counting tokens', () => {
  let service: ServiceProcess;
  let caller: Caller;
  const start = () =>
    startService({
      DATABASE_URL: worker().databaseUrl,
      ...vendorVariables(worker().vendorUrl),
      RATE_LIMIT_COMPARE_PER_MINUTE: '100000',
    });
  beforeAll(async () => {
    service = await start();
    caller = await createCaller({ at: service.url, freeQuota: 0 });
  });
  afterAll(() => service.stop());

  const estimate = (seed: number, length = 120_000, at = service): Promise<Answer<Json>> =>
    caller
      .at(at.url)
      .post(ESTIMATE, { prompt: 'Read this.', input: ideographs(length, seed), models: ['sim-swift', 'gpt-5.4-mini'] });

  it('delays no other request, neither while the tokenizer is loaded nor while a long text is counted', async () => {
    const longestShare = async () => {
      // A thread that has not loaded it yet.
      const fresh = await start();
      const shares: number[] = [];
      for (const seed of [1, 2]) {
        const counted = timed(estimate(seed, 120_000, fresh));
        const longest = await longestWaitDuring(fresh.url, counted);
        const { answer, tookMs } = await counted;
        expect(answer.status).toBe(200);
        expect(answer.body.models[0].estimated_input_tokens).toBeGreaterThan(150_000);
        shares.push(longest / tookMs);
      }
      await fresh.stop();
      return Math.max(...shares);
    };
    // It was nearly the whole count when there was one thread.
    expect(await leastWithin(0.5, longestShare)).toBeLessThanOrEqual(0.5);
  });

  it("adds to no model's latency: neither to that of the model whose vendor did not count nor to another's", async () => {
    const script: Record<string, ModelScript> = {
      'gpt-5.4-mini': { usage: 'none' },
      '*': { inputTokens: 100_000, delayMs: 50 },
    };
    const prompt = `${vendorScript(randomUUID(), script)}{input}`;
    const slowestShare = async () => {
      const { status, body } = await caller.post('/api/v1/compare?include=details', {
        prompt,
        input: ideographs(120_000, 3),
        models: ['gpt-5.4-mini', 'claude-haiku-4-5'],
      });
      expect(status).toBe(200);
      const [uncounted, other] = body.results;
      expect(uncounted.warnings).toContainEqual(expect.objectContaining({ code: 'usage_estimated' }));
      expect(uncounted.input_tokens).toBeGreaterThan(150_000);
      expect(other.input_tokens).toBe(100_000);
      return Math.max(uncounted.latency_ms, other.latency_ms) / body.details.duration_ms;
    };
    // Nearly all of the eval's time is the count; on one thread the other model's answer, which comes in the middle of
    // it, would be read after it.
    expect(await leastWithin(0.75, slowestShare)).toBeLessThanOrEqual(0.75);
  });

  it('rejects estimates that would have to wait too long, and still stores paid compares', async () => {
    const flood = Array.from({ length: 24 }, (_, index) => estimate(100 + index));
    const paid = caller.compare({
      prompt: vendorScript(randomUUID(), { '*': { usage: 'none', text: 'Hello there, how are you?' } }),
      models: ['gpt-5.4-mini'],
    });
    const { status, body } = await paid;
    expect(status).toBe(200);
    expect(body.results[0].output_tokens).toBe(7);
    const answers = await Promise.all(flood);
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(24);
    for (const {
      status: code,
      headers,
      body: { error },
    } of refused) {
      expect(code).toBe(503);
      expect(headers.get('retry-after')).toBe('2');
      expect(error).toMatchObject({
        code: 'overloaded',
        message: 'Too many prompts are being tokenized; try again after Retry-After seconds.',
      });
    }
    expect((await estimate(1, 100)).status).toBe(200);
  });
});
