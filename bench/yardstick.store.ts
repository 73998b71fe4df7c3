import { hash } from 'node:crypto';
import { Pool } from 'pg';

/** The yardstick's tables: the same facts as the service's, with no constraints but keys. */
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
  user_id: string;
  email: string;
}

// Amounts as floats: exact ones are the service's.
const SQL = {
  user: 'select user_id, email from keys where hash = $1',
  month: 'select eval_count, free_count, charge::float8 as charge from totals where user_id = $1 and month = $2',
  page: `select id as eval_id, prompt, array_to_json(models) as models, created_at, total_cost::float8 as total_cost_usd, fastest_model
    from evals where user_id = $1 order by id desc limit $2 offset $3`,
  find: `select row_to_json(answer)::text as answer from (
      select id as eval_id, prompt, models, (select json_agg(result) from (
        select model, provider, output, latency_ms, cost::float8 as cost_usd, input_tokens, output_tokens, input_tokens + output_tokens as total_tokens
        from results where eval_id = evals.id order by position
      ) as result) as results, json_build_object('total_cost_usd', total_cost::float8, 'fastest_model', fastest_model, 'cheapest_model', cheapest_model,
        'created_at', to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as meta
      from evals where id = $2 and user_id = $1
    ) as answer`,
  // Eval, results, charge and counters, all or nothing.
  store: `
    with stored_eval as (
      insert into evals values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ), stored_results as (
      insert into results select $1, row_number() over () - 1, result.*
      from json_to_recordset($14) as result (model text, provider text, output text, latency_ms int, cost_usd numeric, input_tokens int, output_tokens int)
    ), stored_charge as (
      insert into charges values ('chg_' || $1, $2, $1, $13, $8, $12, $11)
    )
    insert into totals values ($2, $13, 1, 0, $12)
    on conflict (user_id, month) do update set eval_count = totals.eval_count + 1, charge = totals.charge + excluded.charge`,
};

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const users = new Map<string, YardstickUser>();

export function hashOfKey(key: string): string {
  return hash('sha256', key);
}

/** Runs one of the statements, prepared. */
export async function query<Row extends object>(name: keyof typeof SQL, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text: SQL[name], values })).rows;
}

/** The owner of a key; read from the database once. */
export async function userOf(key: string): Promise<YardstickUser | undefined> {
  const hashed = hashOfKey(key);
  const user = users.get(hashed) ?? (await query<YardstickUser>('user', [hashed]))[0];
  if (user !== undefined) users.set(hashed, user);
  return user;
}
