import { escapeLiteral, type Client } from 'pg';
import type { RecordedQuery } from './query-recorder';

/** The members of a plan's node that are checked. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

interface Explained {
  'QUERY PLAN': [{ Plan: Plan }];
}

/** A plan's node and all nodes below it. */
export function* nodesOf(plan: Plan): Generator<Plan> {
  yield plan;
  for (const below of plan.Plans ?? []) yield* nodesOf(below);
}

/**
 * The plan for these very values, and where Postgres can tell (from 16) the one it would keep for a prepared statement,
 * whatever its values.
 */
export async function plansFor(client: Client, { sql, values }: RecordedQuery): Promise<Plan[]> {
  const {
    rows: [server],
  } = await client.query<{ version: number }>(`select current_setting('server_version_num')::integer as version`);
  const answers = [await client.query<Explained>(`explain (format json) ${sql}`, values)];
  if ((server?.version ?? 0) >= 160_000) answers.push(await client.query(`explain (format json, generic_plan) ${sql}`));
  return answers.flatMap(({ rows }) => rows.map((row) => row['QUERY PLAN'][0].Plan));
}

// Postgres decides on the sixth run whether it keeps one plan for all values.
const RUNS_UNTIL_DECIDED = 6;

/**
 * The plan of a read when it is prepared, as the service's are, and has run often enough for Postgres to choose its
 * plan; and what it would do with the one plan for all values.
 */
export async function runsOf(client: Client, { sql, values }: RecordedQuery): Promise<Plan[]> {
  const execute = `execute observed (${values.map((value) => (value === null ? 'null' : escapeLiteral(value))).join(', ')})`;
  const explain = async () =>
    (await client.query<Explained>(`explain (analyze, buffers, format json) ${execute}`)).rows.map(
      (row) => row['QUERY PLAN'][0].Plan,
    );
  await client.query('set plan_cache_mode = auto');
  await client.query(`prepare observed as ${sql}`);
  for (let run = 1; run < RUNS_UNTIL_DECIDED; run += 1) await client.query(execute);
  const chosen = await explain();
  await client.query('set plan_cache_mode = force_generic_plan');
  const generic = await explain();
  await client.query('deallocate observed');
  return [...chosen, ...generic];
}
