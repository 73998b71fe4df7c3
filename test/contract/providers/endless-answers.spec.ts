import { randomUUID } from 'node:crypto';
import { createCaller, eventually } from '../../support/factories';
import { FLOODS, vendorLog, vendorScript } from '../../support/vendor/vendor-server';
import { worker } from '../../support/worker';

/** A vendor of chat completions and a vendor of messages. */
const MODELS = ['gpt-6-luna', 'claude-haiku-4-5'];
const TOO_LONG = {
  code: 'invalid_answer',
  message: 'The vendor sent far more than was asked for; its answer was broken off.',
  retryable: true,
};

describe('A vendor whose answer never ends', () => {
  it.each(
    FLOODS.flatMap(
      (fault) =>
        [
          [fault, 'a stream', '?include=details'],
          [fault, 'a whole answer', ''],
        ] as const,
    ),
  )('is aborted while the other models of the eval stay valid: %s instead of %s', async (fault, _, query) => {
    const run = randomUUID();
    const caller = await createCaller();
    // A refusal is known by its status; it may be tried again, and is cut each time.
    const error = fault === 'flood-refusal' ? (expect.objectContaining({ code: 'overloaded' }) as unknown) : TOO_LONG;
    const { status, body } = await caller.post(`/api/v1/compare${query}`, {
      prompt: `Hello ${vendorScript(run, { '*': { fault, text: 'y'.repeat(16_000), chunks: 1 } })}`,
      models: [...MODELS, 'sim-swift'],
      options: { max_tokens: 5 },
    });
    expect(status).toBe(200);
    expect(body.results.slice(0, 2)).toEqual(
      MODELS.map(() => expect.objectContaining({ output: '', cost_usd: 0, output_tokens: 0, error }) as unknown),
    );
    expect(body.results[2]).not.toHaveProperty('error');
    const log = () => vendorLog(worker().vendorUrl, run);
    await eventually('the vendors have no open call', async () => (await log()).open === 0);
    const { calls } = await log();
    expect(calls.map(({ closedEarly }) => closedEarly)).toEqual(calls.map(() => true));
    if (fault !== 'flood-refusal') expect(calls).toHaveLength(MODELS.length);
  });

  it('is read up to what the requested tokens may weigh', async () => {
    const run = randomUUID();
    const caller = await createCaller();
    const text = 'y'.repeat(20_000);
    const { body } = await caller.compare({
      prompt: `Hello ${vendorScript(run, { '*': { text } })}`,
      models: MODELS,
      options: { max_tokens: 5 },
    });
    expect(body.results.map(({ output }: { output: string }) => output)).toEqual([text, text]);
  });
});
