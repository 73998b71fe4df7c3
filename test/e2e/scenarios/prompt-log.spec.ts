import { randomUUID } from 'node:crypto';
import { onDatabase, ownDatabase } from '../../support/database';
import { createCaller, eventually } from '../../support/factories';
import { queue } from '../../support/runs';
import { startService } from '../../support/service';

/** Compares, queues, streams and fails with marked texts at the most talkative level, and gives all that was logged. */
async function logOf(
  variables: Record<string, string>,
  marks: { prompt: string; input: string; poison: string; unstored: string },
): Promise<{ log: string; output: string }> {
  const databaseUrl = await ownDatabase('prompt_log');
  const service = await startService({
    DATABASE_URL: databaseUrl,
    MIGRATE_ON_START: 'true',
    SIMULATOR: 'on',
    LOG_LEVEL: 'trace',
    ...variables,
  });
  try {
    const caller = await createCaller({ at: service.url });
    // Postgres quotes a refused row in its error.
    await onDatabase(databaseUrl, (client) =>
      client.query(`alter table evals add constraint poison check (prompt not like '%${marks.poison}%')`),
    );
    const order = {
      prompt: `${marks.prompt} {input}`,
      input: marks.input,
      models: ['sim-swift', 'sim-quill'],
      options: { history: [{ role: 'user', content: marks.input }] },
    };
    expect((await queue(caller, order, { headers: { prefer: 'respond-async, wait=30' } })).status).toBe(200);
    const compared = await caller.compare(order);
    expect(compared.status).toBe(200);
    expect((await caller.compare(order, { headers: { accept: 'text/event-stream' } })).status).toBe(200);
    expect((await caller.compare({ prompt: `${marks.poison} ${marks.prompt}`, models: ['sim-swift'] })).status).toBe(
      500,
    );
    const options = { store: false, system: marks.unstored, history: [{ role: 'user', content: marks.unstored }] };
    expect(
      (
        await caller.compare(
          { prompt: `${marks.unstored} [[sim:say=${marks.unstored}]]`, models: ['sim-swift'], options },
          { headers: { 'idempotency-key': 'unstored' } },
        )
      ).status,
    ).toBe(200);
    expect((await caller.compare({ prompt: `${marks.prompt} [[sim:fail]]`, models: ['sim-swift'] })).status).toBe(502);
    expect((await caller.compare({ prompt: marks.prompt, models: ['sim-swift'], [marks.prompt]: 1 })).status).toBe(400);
    await caller.get(`/api/v1/evals?note=${marks.prompt}`);
    await eventually('the last request is logged', () => service.output().includes('"path":"/api/v1/evals"'));
    return { log: service.output(), output: compared.body.results[0].output };
  } finally {
    await service.stop();
  }
}

const someMarks = () => ({
  prompt: `PROMPT-${randomUUID()}`,
  input: `INPUT-${randomUUID()}`,
  poison: `POISON-${randomUUID()}`,
  unstored: `UNSTORED-${randomUUID()}`,
});

describe('The log', () => {
  it('contains no prompt, input or output', async () => {
    const marks = someMarks();
    const { log, output } = await logOf({}, marks);
    expect(log).toContain('"msg":"request failed"');
    expect(log).not.toContain('"msg":"compare"');
    for (const text of [...Object.values(marks), output]) expect(log).not.toContain(text);
  });

  it('contains them with LOG_PROMPTS, in one line for each compare and each run', async () => {
    const marks = someMarks();
    const { log, output } = await logOf({ LOG_PROMPTS: 'true' }, marks);
    expect(log).not.toContain(marks.unstored);
    const lines = log
      .split('\n')
      .filter((line) => line.includes('"msg":"compare"'))
      .map((line) => JSON.parse(line));
    expect(lines.map(({ runId, reqId }) => (runId === undefined) !== (reqId === undefined))).toEqual([
      true,
      true,
      true,
    ]);
    expect(lines.filter(({ runId }) => /^run_/.test(runId))).toHaveLength(1);
    for (const line of lines) {
      expect(line).toMatchObject({
        level: 'info',
        prompt: `${marks.prompt} {input}`,
        input: marks.input,
        outputs: [
          { model: 'sim-swift', output },
          { model: 'sim-quill', output: expect.any(String) },
        ],
      });
      expect(line.reqId ?? line.runId).toMatch(/^(req|run)_/);
    }
  });
});
