import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { monotonicFactory } from 'ulid';
import { query, userOf, type YardstickUser } from './yardstick.store';
import { callVendor, MODEL_LIST, type StoredResult } from './yardstick.vendors';

/**
 * A lean server for the same job over JSON and SSE, with the libraries of the service: Fastify with a schema for each
 * answer, undici's dispatcher, one prepared statement a request.
 * No framework over Fastify, ORM, SDK, validation, limits, reservation or log: the difference in cost is the price of
 * these.
 * It asks the vendors for whole answers where the caller wants JSON, or for streams too if VENDOR_STREAMS is set.
 */
const VENDOR_URL = process.env['VENDOR_URL'] ?? '';
const onEventOfJson = process.env['VENDOR_STREAMS'] === undefined ? undefined : () => undefined;
const FREE_QUOTA = 100;
const server = fastify();
// These ids need not be unguessable.
const ulid = monotonicFactory(Math.random);

/**
 * A schema, from which Fastify makes a serializer: members by name, with `string`, `number` or `integer`, or a schema.
 */
const object = (properties: Record<string, string | object>) => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, type]) => [name, typeof type === 'string' ? { type } : type]),
  ),
});
const list = (items: object) => ({ type: 'array', items });
const answer = (schema: object) => ({ schema: { response: { 200: schema } } });
const STRINGS = list({ type: 'string' });
const RESULT = object({
  model: 'string',
  provider: 'string',
  output: 'string',
  latency_ms: 'integer',
  cost_usd: 'number',
  input_tokens: 'integer',
  output_tokens: 'integer',
  total_tokens: 'integer',
});
const META = object({
  total_cost_usd: 'number',
  fastest_model: 'string',
  cheapest_model: 'string',
  created_at: 'string',
});
const EVAL = answer(
  object({ eval_id: 'string', prompt: 'string', models: STRINGS, results: list(RESULT), meta: META }),
);
const SUMMARY = object({
  eval_id: 'string',
  prompt: 'string',
  models: STRINGS,
  created_at: 'string',
  meta: object({ total_cost_usd: 'number', fastest_model: 'string' }),
});
const EVALS = answer(object({ evals: list(SUMMARY), limit: 'integer', offset: 'integer' }));
const PRICING = object({
  model: 'string',
  description: 'string',
  margin: 'number',
  free_quota: 'integer',
  free_models: STRINGS,
});
const USAGE = answer(
  object({
    user_id: 'string',
    email: 'string',
    month: 'string',
    eval_count: 'integer',
    total_charge_usd: 'number',
    free_evals_remaining: 'integer',
    has_payment_method: 'boolean',
    pricing: PRICING,
  }),
);

interface CompareBody {
  prompt: string;
  models: string[];
  input?: string;
  options?: { temperature?: number; max_tokens?: number };
}

async function callerOf(request: FastifyRequest, reply: FastifyReply): Promise<YardstickUser | undefined> {
  const user = await userOf(request.headers.authorization?.slice('Bearer '.length) ?? '');
  if (user === undefined) await reply.code(401).send({ error: 'unauthorized' });
  return user;
}

const least = (results: readonly StoredResult[], of: (result: StoredResult) => number) =>
  results.reduce((best, next) => (of(next) < of(best) ? next : best)).model;

/** Calls the models, as streams if there is an `onEvent`, stores the eval and returns it. */
async function compare(
  { prompt, models, input, options: { temperature = 0.7, max_tokens: maxTokens = 500 } = {} }: CompareBody,
  userId: string,
  id: string,
  onEvent?: (name: string, data: object) => void,
): Promise<object> {
  const createdAt = new Date().toISOString();
  const text = input === undefined ? prompt : prompt.replaceAll('{input}', input);
  const results = await Promise.all(
    models.map(async (model) => {
      const result = await callVendor(
        VENDOR_URL,
        model,
        text,
        { max_tokens: maxTokens, temperature },
        onEvent && ((delta) => onEvent('delta', { model, text: delta })),
      );
      onEvent?.('result', result);
      return result;
    }),
  );
  const totalCost = results.reduce((sum, { cost_usd: cost }) => sum + cost, 0);
  const [fastest, cheapest] = [
    least(results, ({ latency_ms: ms }) => ms),
    least(results, ({ cost_usd: cost }) => cost),
  ];
  await query('store', [
    id,
    userId,
    prompt,
    input,
    models,
    temperature,
    maxTokens,
    totalCost.toFixed(12),
    fastest,
    cheapest,
    createdAt,
    (totalCost * 1.4).toFixed(12),
    createdAt.slice(0, 7),
    JSON.stringify(results),
  ]);
  return {
    eval_id: id,
    prompt,
    models,
    results,
    meta: { total_cost_usd: totalCost, fastest_model: fastest, cheapest_model: cheapest, created_at: createdAt },
  };
}

server.get('/health/ready', async () => query('month', ['', '']));

server.post<{ Body: CompareBody }>('/api/v1/compare', EVAL, async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const id = `eval_${ulid()}`;
  if (request.headers.accept !== 'text/event-stream') return compare(request.body, user.user_id, id, onEventOfJson);
  reply.hijack();
  const send = (name: string, data: object) => reply.raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
  send('eval-started', { eval_id: id });
  send('eval', await compare(request.body, user.user_id, id, send));
  reply.raw.end();
});

server.get<{ Querystring: { limit?: string; offset?: string } }>('/api/v1/evals', EVALS, async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const [limit, offset] = [Number(request.query.limit ?? 20), Number(request.query.offset ?? 0)];
  const rows = await query('page', [user.user_id, limit, offset]);
  return { evals: rows.map((row) => ({ ...row, meta: row })), limit, offset };
});

server.get<{ Params: { id: string } }>('/api/v1/evals/:id', async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const [found] = await query<{ answer: string }>('find', [user.user_id, request.params.id]);
  return found === undefined
    ? reply.code(404).send({ error: 'not_found' })
    : reply.type('application/json').send(found.answer);
});

server.get('/api/v1/models', async (request, reply) => {
  const user = await callerOf(request, reply);
  return user === undefined ? reply : reply.type('application/json').send(MODEL_LIST);
});

server.get<{ Querystring: { month?: string } }>('/api/v1/usage', USAGE, async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const month = request.query.month ?? new Date().toISOString().slice(0, 7);
  const [{ eval_count, free_count, charge } = { eval_count: 0, free_count: 0, charge: 0 }] = await query<{
    eval_count: number;
    free_count: number;
    charge: number;
  }>('month', [user.user_id, month]);
  return {
    ...user,
    month,
    eval_count,
    total_charge_usd: charge,
    free_evals_remaining: FREE_QUOTA - free_count,
    has_payment_method: true,
    pricing: {
      model: 'pass-through',
      description: 'Model cost plus a 40 percent margin.',
      margin: 0.4,
      free_quota: FREE_QUOTA,
      free_models: [],
    },
  };
});

process.on('SIGTERM', () => process.exit(0));
void server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
