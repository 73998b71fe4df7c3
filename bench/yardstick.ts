import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { ulid } from 'ulid';
import { YardstickStore, type StoredResult, type YardstickUser } from './yardstick.store';
import { MODEL_RECORDS, YardstickVendors } from './yardstick.vendors';

/**
 * The thinnest sensible server for the same job, to measure the service against: no framework over Fastify, no ORM, no SDK,
 * no validation, no limits, no reservation before the run, no log. What the service takes beyond it is the price of what the service does beyond it.
 */
const store = new YardstickStore(process.env['DATABASE_URL'] ?? '');
const vendors = new YardstickVendors(process.env['VENDOR_URL'] ?? '');
const server = fastify();

interface CompareBody {
  prompt: string;
  models: string[];
  input?: string;
  options?: { temperature?: number; max_tokens?: number };
}

async function callerOf(request: FastifyRequest, reply: FastifyReply): Promise<YardstickUser | undefined> {
  const user = await store.userOf(request.headers.authorization?.slice('Bearer '.length) ?? '');
  if (user === undefined) await reply.code(401).send({ error: 'unauthorized' });
  return user;
}

function wireResult(result: StoredResult): object {
  return {
    model: result.model, provider: result.provider, output: result.output, latency_ms: result.latencyMs, cost_usd: result.cost,
    input_tokens: result.inputTokens, output_tokens: result.outputTokens, total_tokens: result.inputTokens + result.outputTokens,
  };
}

function least(results: readonly StoredResult[], of: (result: StoredResult) => number): string {
  return results.reduce((best, next) => (of(next) < of(best) ? next : best)).model;
}

server.get('/health/ready', async () => {
  await store.ping();
  return { status: 'ok' };
});

server.post<{ Body: CompareBody }>('/api/v1/compare', async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const { prompt, models, input, options } = request.body;
  const { temperature = 0.7, max_tokens: maxTokens = 500 } = options ?? {};
  const createdAt = new Date();
  const text = input === undefined ? prompt : prompt.replaceAll('{input}', input);
  const results = await Promise.all(models.map((model) => vendors.call(model, text, maxTokens, temperature)));
  const totalCost = results.reduce((sum, { cost }) => sum + cost, 0);
  const record = {
    id: `eval_${ulid()}`, userId: user.userId, prompt, input: input ?? null, models, temperature, maxTokens, totalCost, createdAt,
    fastest: least(results, ({ latencyMs }) => latencyMs), cheapest: least(results, ({ cost }) => cost),
  };
  await store.store(record, results);
  return {
    eval_id: record.id, prompt, models, results: results.map(wireResult),
    meta: { total_cost_usd: totalCost, fastest_model: record.fastest, cheapest_model: record.cheapest, created_at: createdAt.toISOString() },
  };
});

server.get<{ Querystring: { limit?: string; offset?: string } }>('/api/v1/evals', async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const [limit, offset] = [Number(request.query.limit ?? 20), Number(request.query.offset ?? 0)];
  const rows = await store.page(user.userId, limit, offset);
  const evals = rows.map((row) => ({
    eval_id: row['id'], prompt: row['prompt'], models: row['models'], created_at: row['created_at'], meta: { total_cost_usd: Number(row['total_cost']), fastest_model: row['fastest_model'] },
  }));
  return { evals, limit, offset };
});

server.get<{ Params: { id: string } }>('/api/v1/evals/:id', async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const row = await store.find(user.userId, request.params.id);
  if (row === undefined) return reply.code(404).send({ error: 'not_found' });
  const results = (row['results'] as { model: string; provider: string; output: string; latency_ms: number; cost: number; input_tokens: number; output_tokens: number }[]).map((result) => wireResult({
    ...result, latencyMs: result.latency_ms, inputTokens: result.input_tokens, outputTokens: result.output_tokens,
  }));
  return {
    eval_id: row['id'], prompt: row['prompt'], models: row['models'], results,
    meta: { total_cost_usd: Number(row['total_cost']), fastest_model: row['fastest_model'], cheapest_model: row['cheapest_model'], created_at: row['created_at'] },
  };
});

server.get('/api/v1/models', async (request, reply) => {
  const user = await callerOf(request, reply);
  return user === undefined ? reply : { models: MODEL_RECORDS };
});

server.get<{ Querystring: { month?: string } }>('/api/v1/usage', async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const month = request.query.month ?? new Date().toISOString().slice(0, 7);
  const row = await store.month(user.userId, month);
  return {
    user_id: user.userId, email: user.email, month, eval_count: row?.['eval_count'] ?? 0, total_charge_usd: Number(row?.['charge'] ?? 0),
    free_evals_remaining: 100 - Number(row?.['free_count'] ?? 0), has_payment_method: true,
    pricing: { model: 'pass-through', description: 'Model cost plus a 40 percent margin.', margin: 0.4, free_quota: 100, free_models: [] },
  };
});

async function main(): Promise<void> {
  await store.prepare();
  await server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
}

process.on('SIGTERM', () => process.exit(0));
void main();
