import { randomUUID } from 'node:crypto';
import { createCaller, eventually } from '../../support/factories';
import { startService } from '../../support/service';
import { startVendorServer, vendorLog, vendorScript, vendorSockets } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

/** One model of every strategy and vendor. */
const EIGHT = [
  'gpt-6-luna',
  'claude-haiku-5-5',
  'gemini-2.5-flash-lite',
  'mistral-small-2603',
  'deepseek-flash',
  'grok-4.3',
  'groq/gpt-oss-20b',
  'openrouter/minimax-m3',
];

/** Of each vendor: long enough for the last call to begin before the first has ended, on a busy machine too. */
const DELAY_MS = 2000;

describe('A compare of eight models', () => {
  it('calls all eight vendors at once, and takes little longer than the slowest', async () => {
    const caller = await createCaller();
    const run = randomUUID();
    const { status, body } = await caller.compare({
      prompt: vendorScript(run, { '*': { delayMs: DELAY_MS } }),
      models: EIGHT,
    });
    expect(status).toBe(200);
    expect(body.results.every((result: object) => !('error' in result))).toBe(true);
    const log = await vendorLog(worker().vendorUrl, run);
    expect(log.calls).toHaveLength(8);
    expect(log.mostAtOnce).toBe(8);
    const slowest = Math.max(...body.results.map((result: { latency_ms: number }) => result.latency_ms));
    // One after another they would take eight times as long; a busy machine adds its own delays.
    expect(slowest).toBeLessThan(4 * DELAY_MS);
  });

  it('returns the seven that succeed when one fails, in request order', async () => {
    const caller = await createCaller();
    const { status, body } = await caller.compare({
      prompt: vendorScript(randomUUID(), { 'grok-4.3': { fault: 'html' }, '*': { delayMs: 50 } }),
      models: EIGHT,
    });
    expect(status).toBe(200);
    expect(body.results.map((result: { model: string }) => result.model)).toEqual(EIGHT);
    expect(body.results.map((result: { error?: { code: string } }) => result.error?.code)).toEqual(
      EIGHT.map((model) => (model === 'grok-4.3' ? 'invalid_answer' : undefined)),
    );
    expect(body.meta.fastest_model).not.toBe('grok-4.3');
    expect(body.meta.cheapest_model).not.toBe('grok-4.3');
  });

  it("replaces in a model's output what the database cannot store", async () => {
    const caller = await createCaller();
    const { body } = await caller.compare({
      prompt: vendorScript(randomUUID(), { '*': { text: 'a\u0000b\ud800c' } }),
      models: ['gpt-6-luna'],
    });
    expect(body.results[0].output).toBe('a\uFFFDb\uFFFDc');
    expect((await caller.get(`/api/v1/evals/${body.eval_id}`)).body).toEqual(body);
  });

  it('never scans the inserted input again, nor gives $& a meaning', async () => {
    const caller = await createCaller();
    const run = randomUUID();
    const input = "$& {input} $1 $` $'";
    await caller.compare({
      prompt: `A {input} B {input} ${vendorScript(run, {})}`,
      input,
      models: ['claude-haiku-4-5'],
    });
    const [call] = (await vendorLog(worker().vendorUrl, run)).calls;
    expect(JSON.stringify(call?.body)).toContain(JSON.stringify(`A ${input} B ${input} `).slice(1, -1));
  });
});

describe('A run of 200 models that never answer', () => {
  it('holds no socket after the deadline', async () => {
    const vendors = await startVendorServer();
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      ...vendorVariables(vendors.url),
      MODEL_TIMEOUT_MS: '10000',
    });
    try {
      const caller = await createCaller({ at: service.url });
      const run = randomUUID();
      const hanging = Array.from({ length: 25 }, () =>
        caller.compare({ prompt: vendorScript(run, { '*': { fault: 'hang' } }), models: EIGHT }),
      );
      await eventually('200 calls are open', async () => (await vendorLog(vendors.url, run)).open === 200);
      const answers = await Promise.all(hanging);
      expect(answers.map(({ body }) => body.error.code)).toEqual(Array(25).fill('all_models_failed'));
      await eventually('no socket is open', async () => (await vendorSockets(vendors.url)) === 0);
      expect((await vendorLog(vendors.url, run)).open).toBe(0);
    } finally {
      await service.stop();
      await vendors.close();
    }
  });
});
