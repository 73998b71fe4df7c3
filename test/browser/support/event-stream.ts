/** One model's part of a made-up run. */
export interface MadeUpAnswer {
  model: string;
  /** Its text, in the pieces in which it comes. */
  pieces: readonly string[];
}

const EVAL_ID = 'eval_01k9z3v7q4m8n2p6r0s5t1w3x7';

/**
 * The events of a run that no service has run, piece by piece of all models in turn; waits for `pause` between the
 * turns.
 */
export async function* madeUpStream(
  prompt: string,
  answers: readonly MadeUpAnswer[],
  pause: () => Promise<void> = async () => undefined,
): AsyncGenerator<string> {
  let id = 0;
  const event = (name: string, data: unknown) => `event: ${name}\nid: ${(id += 1)}\ndata: ${JSON.stringify(data)}\n\n`;
  const models = answers.map(({ model }) => model);
  yield event('eval-started', { eval_id: EVAL_ID, models });
  for (let turn = 0; answers.some(({ pieces }) => turn < pieces.length); turn += 1) {
    yield answers
      .flatMap(({ model, pieces }) =>
        pieces[turn] === undefined ? [] : [event('delta', { model, text: pieces[turn] })],
      )
      .join('');
    await pause();
  }
  const results = answers.map(({ model, pieces }) => ({
    model,
    provider: 'simulator',
    output: pieces.join(''),
    latency_ms: 1000,
    cost_usd: 0.0001,
    input_tokens: 10,
    output_tokens: pieces.length,
    total_tokens: 10 + pieces.length,
  }));
  for (const result of results) yield event('result', result);
  yield event('eval', {
    eval_id: EVAL_ID,
    prompt,
    models,
    results,
    meta: {
      total_cost_usd: 0.0008,
      fastest_model: models[0],
      cheapest_model: models[0],
      created_at: '2026-11-22T09:00:00.000Z',
    },
  });
}
