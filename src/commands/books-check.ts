import { sql } from 'kysely';
import { runOnDatabase, say } from './run-command';

interface BookRow {
  user_id: string;
  month: string;
  what: string;
  counted: string;
  proven: string;
}

/** A line of the breakdown; of a month of which evals were erased, charges can prove only all its models together. */
const ITEM = sql`case when dimension = 'model' and whole is null then '*' else item end`;

/** Every place where two of the books do not say the same. */
const DIFFERENCES = sql<BookRow>`
  with charged as (
    select user_id, month, count(eval_id) as eval_count, count(*) filter (where is_free) as free_count, sum(cost) as cost, sum(charge) as charge,
      sum(charge) filter (where eval_id is not null) as eval_charge,
      sum(case when is_free then 0 else cost * (1 + margin) end) filter (where eval_id is not null) as charge_of_cost
    from charges group by user_id, month
  ), per_eval as (
    select c.*, e.id as stored_id, e.total_cost, e.charge as eval_charge, r.*
    from charges c left join evals e on e.id = c.eval_id left join lateral (
      select sum(cost) as result_cost, sum((details ->> 'charge')::numeric) as result_charge, sum(input_tokens) as result_input, sum(output_tokens) as result_output
      from results where results.eval_id = c.eval_id
    ) r on true where c.eval_id is not null
  ), recomputed as (
    select c.user_id, c.month, c.eval_id, r.position, r.cost, coalesce(0.000001 * (
      (r.input_tokens - d.cached - d.written) * (rates ->> 'input')::numeric + d.cached * (rates ->> 'cachedInput')::numeric
      + d.written * (rates ->> 'cacheWrite')::numeric + r.output_tokens * (rates ->> 'output')::numeric), 0) as proven
    from charges c join results r on r.eval_id = c.eval_id cross join lateral (
      select nullif(r.details -> 'rates', 'null') as rates, (r.details ->> 'cachedInputTokens')::integer as cached, (r.details ->> 'cacheWriteTokens')::integer as written
    ) d
  ), whole as (
    select user_id, month from per_eval group by user_id, month having bool_and(stored_id is not null)
  ), broken_down as (
    select user_id, month, dimension, ${ITEM} as item, sum(eval_count) as evals, sum(input_tokens) as input, sum(output_tokens) as output, sum(cost) as cost, sum(charge) as charge
    from breakdown_totals left join whole using (user_id, month) group by 1, 2, 3, 4
  ), parts as (
    select user_id, month, 'key' as dimension, key_id as item, 1 as evals, input_tokens, output_tokens, cost, charge from per_eval
    union all
    select user_id, month, 'day', to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD'), 1, input_tokens, output_tokens, cost, charge from per_eval
    union all
    select c.user_id, c.month, 'model', r.model, 1, r.input_tokens, r.output_tokens, r.cost, (r.details ->> 'charge')::numeric
    from per_eval c join whole using (user_id, month) join results r on r.eval_id = c.eval_id
    union all
    select user_id, month, 'model', '*', cardinality(models), input_tokens, output_tokens, cost, charge from per_eval left join whole using (user_id, month) where whole is null
  ), proven as (
    select user_id, month, dimension, item, sum(evals) as evals, sum(input_tokens) as input, sum(output_tokens) as output, sum(cost) as cost, sum(charge) as charge
    from parts group by 1, 2, 3, 4
  )
  select t.user_id, t.month, facts.* from month_totals t
  left join charged c using (user_id, month)
  cross join lateral (values
    ('evals: counter / charges', t.eval_count::numeric, coalesce(c.eval_count, 0)),
    ('free evals: counter / charges', t.free_eval_count, coalesce(c.free_count, 0)),
    ('cost: counter / charges', t.cost, coalesce(c.cost, 0)),
    ('charge: counter / charges', t.charge, coalesce(c.charge, 0)),
    ('charge of evals / cost × (1 + margin)', coalesce(c.eval_charge, 0), coalesce(c.charge_of_cost, 0))
  ) as facts (what, counted, proven) where facts.counted <> facts.proven
  union all
  select c.user_id, c.month, 'charges without a counter', 0, c.charge from charged c left join month_totals t using (user_id, month) where t.user_id is null
  union all
  select user_id, month, 'breakdown by ' || dimension || ' ' || item || ': ' || facts.what, facts.counted, facts.proven
  from broken_down b full join proven p using (user_id, month, dimension, item)
  cross join lateral (values
    ('evals', b.evals, p.evals), ('input tokens', b.input, p.input), ('output tokens', b.output, p.output), ('cost', b.cost, p.cost), ('charge', b.charge, p.charge)
  ) as facts (what, counted, proven) where facts.counted is distinct from facts.proven
  union all
  select p.user_id, p.month, p.eval_id || ': ' || facts.what, facts.counted, facts.proven from per_eval p
  cross join lateral (values
    ('charge row / eval row, cost', p.cost, p.total_cost), ('charge row / results, cost', p.cost, p.result_cost),
    ('charge row / eval row, charge', p.charge, p.eval_charge), ('charge row / results, charge', p.charge, p.result_charge),
    ('charge row / results, input tokens', p.input_tokens, p.result_input), ('charge row / results, output tokens', p.output_tokens, p.result_output)
  ) as facts (what, counted, proven) where p.stored_id is not null and facts.counted is distinct from facts.proven
  union all
  select user_id, month, eval_id || ': result ' || position || ', cost / tokens × rates', cost, proven from recomputed where cost <> proven
  union all
  select e.user_id, to_char(e.created_at at time zone 'utc', 'YYYY-MM'), e.id || ': an eval without a charge', e.charge, null
  from evals e left join charges c on c.eval_id = e.id where c.id is null
  order by 1, 2, 3
`;

/**
 * `npm run books:check`: proves for every user and month that the counters, the breakdown, the charges, the evals and the stored results say the same,
 * and that every cost is its tokens at the rates it was computed with.
 * Ends with 1 and the rows that differ.
 */
void runOnDatabase(async ({ em }) => {
  const { rows: months } = await sql<{ count: string; evals: string }>`select count(*), coalesce(sum(eval_count), 0) as evals from month_totals`.execute(em.getKysely());
  const { rows } = await DIFFERENCES.execute(em.getKysely());
  for (const row of rows) say(`${row.user_id} ${row.month}  ${row.what}: ${row.counted} / ${row.proven}`);
  const scope = `${months[0]?.count} months of users, ${months[0]?.evals} evals`;
  if (rows.length > 0) throw new Error(`The books differ in ${rows.length} places (${scope}).`);
  say(`The books are right: ${scope}.`);
});
