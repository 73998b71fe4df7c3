import { createHash } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';

/** The yardstick's tables: the same facts as the service's, nothing to keep them safe from mistakes but keys. */
export const YARDSTICK_SCHEMA = `
  create table if not exists keys (hash text primary key, user_id text not null, email text not null);
  create table if not exists evals (id text primary key, user_id text not null, prompt text not null, input text, models text[] not null, temperature float8 not null,
    max_tokens int not null, total_cost numeric not null, fastest_model text not null, cheapest_model text not null, created_at timestamptz not null);
  create index if not exists evals_user on evals (user_id, id);
  create table if not exists results (eval_id text not null, position int not null, model text not null, provider text not null, output text not null, latency_ms int not null,
    cost numeric not null, input_tokens int not null, output_tokens int not null, primary key (eval_id, position));
  create table if not exists charges (id text primary key, user_id text not null, eval_id text not null, month text not null, cost numeric not null, charge numeric not null, created_at timestamptz not null);
  create index if not exists charges_user on charges (user_id, month, id);
  create table if not exists totals (user_id text, month text, eval_count int not null, free_count int not null, charge numeric not null, primary key (user_id, month));
`;

export interface YardstickUser {
  userId: string;
  email: string;
}

export interface StoredResult {
  model: string;
  provider: string;
  output: string;
  latencyMs: number;
  cost: number;
  inputTokens: number;
  outputTokens: number;
}

export interface NewEval {
  id: string;
  userId: string;
  prompt: string;
  input: string | null;
  models: string[];
  temperature: number;
  maxTokens: number;
  totalCost: number;
  fastest: string;
  cheapest: string;
  createdAt: Date;
}

export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The thinnest sensible store: one pool, prepared statements, one transaction for a compare. */
export class YardstickStore {
  private readonly pool: Pool;
  private readonly known = new Map<string, YardstickUser>();

  constructor(url: string) {
    this.pool = new Pool({ connectionString: url, max: 20 });
  }

  async prepare(): Promise<void> {
    await this.pool.query(YARDSTICK_SCHEMA);
  }

  async ping(): Promise<void> {
    await this.pool.query('select 1');
  }

  /** Whose key it is; asked of the database only once. */
  async userOf(key: string): Promise<YardstickUser | undefined> {
    const hash = hashOfKey(key);
    const known = this.known.get(hash);
    if (known !== undefined) return known;
    const { rows } = await this.pool.query<{ user_id: string; email: string }>({ name: 'key', text: 'select user_id, email from keys where hash = $1', values: [hash] });
    const [row] = rows;
    if (row === undefined) return undefined;
    const user = { userId: row.user_id, email: row.email };
    this.known.set(hash, user);
    return user;
  }

  /** Eval, results, charge and counters, all or nothing. */
  async store(record: NewEval, results: readonly StoredResult[]): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await insert(client, record, results);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  async page(userId: string, limit: number, offset: number): Promise<Record<string, unknown>[]> {
    const text = 'select id, prompt, models, total_cost, fastest_model, created_at from evals where user_id = $1 order by id desc limit $2 offset $3';
    return (await this.pool.query<Record<string, unknown>>({ name: 'page', text, values: [userId, limit, offset] })).rows;
  }

  async find(userId: string, id: string): Promise<Record<string, unknown> | undefined> {
    const text = `select e.*, (select json_agg(r order by r.position) from results r where r.eval_id = e.id) as results from evals e where id = $2 and user_id = $1`;
    return (await this.pool.query<Record<string, unknown>>({ name: 'find', text, values: [userId, id] })).rows[0];
  }

  async month(userId: string, month: string): Promise<Record<string, unknown> | undefined> {
    const text = 'select eval_count, free_count, charge from totals where user_id = $1 and month = $2';
    return (await this.pool.query<Record<string, unknown>>({ name: 'month', text, values: [userId, month] })).rows[0];
  }
}

const INSERTS = {
  eval: 'insert into evals values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
  results: `insert into results select $1, ordinality - 1, m, p, o, l, c, i, t
    from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::numeric[], $7::int[], $8::int[]) with ordinality as r (m, p, o, l, c, i, t)`,
  charge: 'insert into charges values ($1, $2, $3, $4, $5, $6, $7)',
  totals: `insert into totals values ($1, $2, 1, 0, $3)
    on conflict (user_id, month) do update set eval_count = totals.eval_count + 1, charge = totals.charge + excluded.charge`,
};

async function insert(client: PoolClient, record: NewEval, results: readonly StoredResult[]): Promise<void> {
  const { id, userId, createdAt } = record;
  const month = createdAt.toISOString().slice(0, 7);
  const charge = (record.totalCost * 1.4).toFixed(12);
  const evalValues = [
    id, userId, record.prompt, record.input, record.models, record.temperature, record.maxTokens, record.totalCost.toFixed(12), record.fastest, record.cheapest, createdAt,
  ];
  const column = (of: (result: StoredResult) => unknown) => results.map(of);
  await client.query({ name: 'eval', text: INSERTS.eval, values: evalValues });
  await client.query({
    name: 'results', text: INSERTS.results,
    values: [
      id, column(({ model }) => model), column(({ provider }) => provider), column(({ output }) => output), column(({ latencyMs }) => latencyMs),
      column(({ cost }) => cost.toFixed(12)), column(({ inputTokens }) => inputTokens), column(({ outputTokens }) => outputTokens),
    ],
  });
  await client.query({ name: 'charge', text: INSERTS.charge, values: [`chg${id}`, userId, id, month, record.totalCost.toFixed(12), charge, createdAt] });
  await client.query({ name: 'totals', text: INSERTS.totals, values: [userId, month, charge] });
}
