import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { monotonicFactory } from 'ulid';
import { ANSWERS } from './yardstick.schemas';
import { YardstickStore, type StoredResult, type YardstickUser } from './yardstick.store';
import { MODEL_LIST, YardstickVendors } from './yardstick.vendors';

/**
 * The thinnest sensible server for the same job, with the means that the service has too: Fastify with a schema for each answer, undici's dispatcher, one prepared statement a request.
 * No framework over Fastify, no ORM, no SDK, no validation, no limits, no reservation before the run, no log. What the service takes beyond it is the price of what the service does beyond it.
 */
const store = new YardstickStore(process.env['DATABASE_URL'] ?? '');
const vendors = new YardstickVendors(process.env['VENDOR_URL'] ?? '');
const server = fastify();
// These ids need not be unguessable.
const ulid = monotonicFactory(Math.random);
const FREE_QUOTA = 100;

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

server.post<{ Body: CompareBody }>('/api/v1/compare', ANSWERS.eval, async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const { prompt, models, input, options } = request.body;
  const { temperature = 0.7, max_tokens: maxTokens = 500 } = options ?? {};
  const createdAt = new Date().toISOString();
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
    meta: { total_cost_usd: totalCost, fastest_model: record.fastest, cheapest_model: record.cheapest, created_at: createdAt },
  };
});

server.get<{ Querystring: { limit?: string; offset?: string } }>('/api/v1/evals', ANSWERS.evals, async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const [limit, offset] = [Number(request.query.limit ?? 20), Number(request.query.offset ?? 0)];
  const rows = await store.page(user.userId, limit, offset);
  return { evals: rows.map((row) => ({ ...row, meta: row })), limit, offset };
});

server.get<{ Params: { id: string } }>('/api/v1/evals/:id', async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const answer = await store.find(user.userId, request.params.id);
  return answer === undefined ? reply.code(404).send({ error: 'not_found' }) : reply.type('application/json').send(answer);
});

server.get('/api/v1/models', async (request, reply) => {
  const user = await callerOf(request, reply);
  return user === undefined ? reply : reply.type('application/json').send(MODEL_LIST);
});

server.get<{ Querystring: { month?: string } }>('/api/v1/usage', ANSWERS.usage, async (request, reply) => {
  const user = await callerOf(request, reply);
  if (user === undefined) return reply;
  const month = request.query.month ?? new Date().toISOString().slice(0, 7);
  const { evalCount = 0, freeCount = 0, charge = 0 } = (await store.month(user.userId, month)) ?? {};
  return {
    user_id: user.userId, email: user.email, month, eval_count: evalCount, total_charge_usd: charge, free_evals_remaining: FREE_QUOTA - freeCount, has_payment_method: true,
    pricing: { model: 'pass-through', description: 'Model cost plus a 40 percent margin.', margin: 0.4, free_quota: FREE_QUOTA, free_models: [] },
  };
});

async function main(): Promise<void> {
  await store.prepare();
  await server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
}

process.on('SIGTERM', () => process.exit(0));
void main();
