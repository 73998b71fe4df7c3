import { randomUUID } from 'node:crypto';
import { createCaller, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { vendorLog, vendorScript, type Fault } from '../../support/vendor/vendor-server';
import { vendorVariables } from '../../support/vendors';
import { worker } from '../../support/worker';

/** A model of each vendor. */
const MODELS = [
  'gpt-6.2-sol',
  'claude-sonnet-5-5',
  'claude-haiku-4-5',
  'gemini-3.5-flash',
  'mistral-small-2603',
  'deepseek-v4-pro',
  'grok-4.3',
  'groq/gpt-oss-120b',
  'openrouter/glm-5.3',
  'local/llama3.2',
];
/** The ways in which a vendor keeps its caller waiting. */
const SILENCES: Fault[] = ['hang', 'hang-after-headers', 'stall-mid-stream', 'drip'];

describe('A vendor that keeps its caller waiting', () => {
  let caller: Caller;
  beforeAll(async () => {
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      ...vendorVariables(worker().vendorUrl),
      MODEL_TIMEOUT_MS: '3000',
      RATE_LIMIT_COMPARE_PER_MINUTE: '100000',
    });
    caller = await createCaller({ at: service.url });
  });

  it.each(
    SILENCES.flatMap(
      (fault) =>
        [
          [fault, 'stream', '?include=details'],
          [fault, 'whole answer', ''],
        ] as const,
    ),
  )('(%s) ends in timeout, and leaves the other models alone (%s)', async (fault, _, query) => {
    await Promise.all(
      MODELS.map(async (model) => {
        const id = randomUUID();
        const { status, body } = await caller.post(`/api/v1/compare${query}`, {
          prompt: `Hello ${vendorScript(id, { '*': { fault } })}`,
          models: [model, 'sim-swift'],
        });
        expect([model, status]).toEqual([model, 200]);
        const [result, other] = body.results;
        expect([model, result]).toEqual([
          model,
          expect.objectContaining({ output: '', cost_usd: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0 }),
        ]);
        expect([model, result.error]).toEqual([
          model,
          { code: 'timeout', message: expect.any(String), retryable: expect.any(Boolean) },
        ]);
        expect(JSON.stringify(result)).not.toMatch(/MARKER|https?:|127\.0\.0\.1|localhost/);
        expect(other).not.toHaveProperty('error');
        expect(other.output.length).toBeGreaterThan(0);
        expect((await vendorLog(worker().vendorUrl, id)).calls.length).toBeLessThanOrEqual(3);
      }),
    );
  });
});
