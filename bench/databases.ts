import { join } from 'node:path';
import type { Client } from 'pg';
import { EmbeddedPostgres } from '../src/bootstrap/embedded-postgres/embedded-postgres';
import { freshDatabase, onDatabase } from '../test/support/database';
import { FOLDER, say } from './settings';
import { hashOfKey, YARDSTICK_SCHEMA } from './yardstick.store';

/** A durable Postgres, so that commits have their real cost. */
export interface Databases {
  url: string;
  /** An empty database of that name. */
  fresh(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** TEST_DATABASE_URL, or an embedded Postgres of the benches' own. */
export async function openDatabases(): Promise<Databases> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined)
    return { url: given, fresh: (name) => freshDatabase(given, name), stop: async () => undefined };
  const postgres = await EmbeddedPostgres.start({
    folder: join(FOLDER, 'postgres'),
    database: 'mcs_bench',
    durable: true,
    maxConnections: 100,
    sharedBuffers: '512MB',
    log: say,
  });
  return { url: postgres.url, fresh: (name) => freshDatabase(postgres.url, name), stop: () => postgres.stop() };
}

const OUTPUT =
  'The model reads the prompt, weighs it against everything it has ever seen, and answers in a few plain sentences that say what was asked. '.repeat(
    3,
  );
const DETAILS = JSON.stringify({
  vendorModel: 'm',
  charge: '0.0000448',
  finishReason: 'stop',
  attempts: 1,
  ttftMs: 210,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  applied: { max_tokens: 500, temperature: 0.7 },
  rates: { input: '0.4', cachedInput: '0.1', cacheWrite: '0.4', output: '1.6' },
});

/** A user whose past is made up. */
export interface SeededUser {
  userId: string;
  keyId: string;
  /** YYYY-MM of all of it. */
  month: string;
  models: readonly string[];
  /** All evals of an era, of any user, are newer than all evals of earlier eras. */
  era?: number;
}

/** The id of the n-th made-up eval; they sort by n, and before any real one. */
export function seededId(user: SeededUser, n: number): string {
  return `eval_${stem(user)}${String(n).padStart(18, '0')}`;
}

// Eight characters: a time long ago, then letters of the user's id, so that two users never share one.
const stem = ({ userId, era = 0 }: SeededUser) => `0${era}${userId.slice(-6)}`;

/**
 * Gives a user of the service the evals from `first` to `last`, with results, charges and totals as the service would
 * have written them.
 */
export async function seedEvals(client: Client, user: SeededUser, first: number, last: number): Promise<void> {
  const { userId, keyId, month, models } = user;
  // Without checks of foreign keys, where we may: a million evals take minutes otherwise.
  await client.query('set session_replication_role = replica').catch(() => undefined);
  const numbers = `select n, '${stem(user)}' || lpad(n::text, 18, '0') as tail, ('${month}-01T00:00:00Z'::timestamptz + (n % 2000000) * interval '1 second') as at from generate_series(${first}, ${last}) n`;
  await client.query(
    `insert into evals (id, user_id, prompt, input, models, temperature, max_tokens, total_cost, charge, is_free, fastest_model, cheapest_model, created_at, duration_ms)
    select 'eval_' || tail, $1, 'Say {input} in French, please, and say why. Number ' || n, 'good morning', $2::text[], 0.7, 500, 0.000032 * cardinality($2::text[]),
      0.0000448 * cardinality($2::text[]), false, $2[1], $2[1], at, 812 from (${numbers}) as numbered`,
    [userId, models],
  );
  await client.query(
    `insert into results (eval_id, position, model, provider, output, latency_ms, cost, input_tokens, output_tokens, error, warnings, details)
    select 'eval_' || tail, position - 1, model, 'Vendor', $2, 700 + position, 0.000032, 40, 64, null, '[]', $3::jsonb
    from (${numbers}) as numbered, unnest($1::text[]) with ordinality as named (model, position)`,
    [models, OUTPUT, DETAILS],
  );
  await client.query(
    `insert into charges (id, user_id, eval_id, key_id, month, models, input_tokens, output_tokens, cost, margin, charge, is_free, reason, occurred_at, created_at)
    select 'chg_' || tail, $1, 'eval_' || tail, $2, $4, $3::text[], 40 * cardinality($3::text[]), 64 * cardinality($3::text[]), 0.000032 * cardinality($3::text[]), 0.4,
      0.0000448 * cardinality($3::text[]), false, null, at, at from (${numbers}) as numbered`,
    [userId, keyId, models, month],
  );
  await seedTotals(client, user, first, last);
  await client.query('reset session_replication_role').catch(() => undefined);
}

async function seedTotals(
  client: Client,
  { userId, keyId, month, models }: SeededUser,
  first: number,
  last: number,
): Promise<void> {
  await client.query(
    `insert into month_totals as total (user_id, month, eval_count, free_eval_count, cost, charge)
    values ($1, $2, $3::int, 0, 0.000032 * $3::int * $4::int, 0.0000448 * $3::int * $4::int) on conflict (user_id, month) do update
    set eval_count = total.eval_count + excluded.eval_count, cost = total.cost + excluded.cost, charge = total.charge + excluded.charge`,
    [userId, month, last - first + 1, models.length],
  );
  const part = (calls: string) =>
    `count(*)::int, sum(40 * ${calls}), sum(64 * ${calls}), sum(0.000032 * ${calls}), sum(0.0000448 * ${calls})`;
  await client.query(
    `insert into breakdown_totals as part (user_id, month, dimension, item, eval_count, input_tokens, output_tokens, cost, charge)
    with numbered as (select n, to_char(('${month}-01'::date + (n % 2000000) * interval '1 second'), 'YYYY-MM-DD') as day from generate_series(${first}, ${last}) n)
    select $1, $2, 'day', day, ${part('$4::int')} from numbered group by day
    union all select $1, $2, 'key', $3, ${part('$4::int')} from numbered
    union all select $1, $2, 'model', model, ${part('1')} from numbered, unnest($5::text[]) as named (model) group by model
    on conflict (user_id, month, dimension, item) do update set eval_count = part.eval_count + excluded.eval_count, input_tokens = part.input_tokens + excluded.input_tokens,
      output_tokens = part.output_tokens + excluded.output_tokens, cost = part.cost + excluded.cost, charge = part.charge + excluded.charge`,
    [userId, month, keyId, models.length, models],
  );
}

/** Gives the yardstick its keys, and its first user as many evals. */
export async function seedYardstick(
  url: string,
  keys: readonly string[],
  evals: number,
  models: readonly string[],
): Promise<void> {
  await onDatabase(url, async (client) => {
    await client.query(YARDSTICK_SCHEMA);
    for (const [index, key] of keys.entries())
      await client.query('insert into keys values ($1, $2, $3)', [
        hashOfKey(key),
        `user_${index}`,
        `user-${index}@example.com`,
      ]);
    await client.query(
      `insert into evals select 'eval_' || lpad(n::text, 26, '0'), 'user_0', 'Say {input} in French, please, and say why. Number ' || n, 'good morning', $2::text[], 0.7, 500,
      0.000128, $2[1], $2[1], now() - interval '1 day' from generate_series(1, $1::int) n`,
      [evals, models],
    );
    await client.query(
      `insert into results select 'eval_' || lpad(n::text, 26, '0'), position - 1, model, 'Vendor', $3, 700 + position, 0.000032, 40, 64
      from generate_series(1, $1::int) n, unnest($2::text[]) with ordinality as named (model, position)`,
      [evals, models, OUTPUT],
    );
    await client.query(
      `insert into totals values ('user_0', to_char(now() at time zone 'utc', 'YYYY-MM'), $1::int, 0, 0.0001792 * $1::int)`,
      [evals],
    );
    await client.query('vacuum analyze');
  });
}

/** Visibility and statistics as autovacuum would bring them in time. */
export async function settle(client: Client): Promise<void> {
  await client.query('vacuum analyze');
  await client.query('checkpoint').catch(() => undefined);
}
