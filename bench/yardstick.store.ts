import { hash } from 'node:crypto';
import { Pool } from 'pg';

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
  createdAt: string;
}

export interface MonthTotal {
  evalCount: number;
  freeCount: number;
  charge: number;
}

export function hashOfKey(key: string): string {
  return hash('sha256', key);
}

/** The thinnest sensible store: one pool, and one prepared statement for whatever is asked. */
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
    const { id, userId, prompt, input, models, temperature, maxTokens, totalCost, fastest, cheapest, createdAt } = record;
    const values = [
      id, userId, prompt, input, models, temperature, maxTokens, totalCost.toFixed(12), fastest, cheapest, createdAt,
      (totalCost * 1.4).toFixed(12), createdAt.slice(0, 7), JSON.stringify(results),
    ];
    await this.pool.query({ name: 'store', text: STORE, values });
  }

  /** Rows as they go out. */
  async page(userId: string, limit: number, offset: number): Promise<object[]> {
    return (await this.pool.query<object>({ name: 'page', text: PAGE, values: [userId, limit, offset] })).rows;
  }

  /** A row for each result, as it goes out, each with what is the eval's. */
  async find(userId: string, id: string): Promise<object[]> {
    return (await this.pool.query<object>({ name: 'find', text: FIND, values: [userId, id] })).rows;
  }

  async month(userId: string, month: string): Promise<MonthTotal | undefined> {
    return (await this.pool.query<MonthTotal>({ name: 'month', text: MONTH, values: [userId, month] })).rows[0];
  }
}

// Amounts as floats: exact ones are the service's.
const PAGE = `select id as eval_id, prompt, array_to_json(models) as models, created_at, total_cost::float8 as total_cost_usd, fastest_model
  from evals where user_id = $1 order by id desc limit $2 offset $3`;
const FIND = `select e.id as eval_id, e.prompt, array_to_json(e.models) as models, e.total_cost::float8 as total_cost_usd, e.fastest_model, e.cheapest_model, e.created_at,
    r.model, r.provider, r.output, r.latency_ms, r.cost::float8 as cost_usd, r.input_tokens, r.output_tokens, r.input_tokens + r.output_tokens as total_tokens
  from evals e join results r on r.eval_id = e.id where e.id = $2 and e.user_id = $1 order by r.position`;
const MONTH = 'select eval_count as "evalCount", free_count as "freeCount", charge::float8 as charge from totals where user_id = $1 and month = $2';
const STORE = `
  with stored_eval as (
    insert into evals values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  ), stored_results as (
    insert into results select $1, row_number() over () - 1, result.*
    from json_to_recordset($14) as result (model text, provider text, output text, "latencyMs" int, cost numeric, "inputTokens" int, "outputTokens" int)
  ), stored_charge as (
    insert into charges values ('chg_' || $1, $2, $1, $13, $8, $12, $11)
  )
  insert into totals values ($2, $13, 1, 0, $12)
  on conflict (user_id, month) do update set eval_count = totals.eval_count + 1, charge = totals.charge + excluded.charge`;
