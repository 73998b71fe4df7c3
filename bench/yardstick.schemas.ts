/** The shapes of the yardstick's answers, from which Fastify makes a writer for each of them. */
const string = { type: 'string' } as const;
const number = { type: 'number' } as const;
const integer = { type: 'integer' } as const;
const strings = { type: 'array', items: string } as const;
const object = (properties: object) => ({ type: 'object', properties });

const result = object({ model: string, provider: string, output: string, latency_ms: integer, cost_usd: number, input_tokens: integer, output_tokens: integer, total_tokens: integer });
const meta = object({ total_cost_usd: number, fastest_model: string, cheapest_model: string, created_at: string });
const evalOf = object({ eval_id: string, prompt: string, models: strings, results: { type: 'array', items: result }, meta });
const summary = object({ eval_id: string, prompt: string, models: strings, created_at: string, meta: object({ total_cost_usd: number, fastest_model: string }) });
const pricing = object({ model: string, description: string, margin: number, free_quota: integer, free_models: strings });

/** Options of routes that answer with them. */
export const ANSWERS = {
  eval: { schema: { response: { 200: evalOf } } },
  evals: { schema: { response: { 200: object({ evals: { type: 'array', items: summary }, limit: integer, offset: integer }) } } },
  usage: {
    schema: {
      response: {
        200: object({
          user_id: string, email: string, month: string, eval_count: integer, total_charge_usd: number, free_evals_remaining: integer, has_payment_method: { type: 'boolean' }, pricing,
        }),
      },
    },
  },
};
