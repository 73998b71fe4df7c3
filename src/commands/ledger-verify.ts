import { sql } from 'kysely';
import { OperatorError } from '../common/operator-error';
import { runOnDatabase, print } from './run-command';

interface BookRow {
  user_id: string;
  month: string;
  what: string;
  counted: string;
  proven: string;
}

/** Every place where two of the books do not say the same. */
const DIFFERENCES = sql<BookRow>`
  with receipts as (
    select eval_id, position, model, cost, input_tokens, output_tokens, details from results
    union all
    select eval_id, r.* from erased_evals cross join lateral
      jsonb_to_recordset(result_summaries) as r (position integer, model text, cost numeric, input_tokens integer, output_tokens integer, details jsonb)
  ), sums as (
    select eval_id, sum(cost) as result_cost, sum((details ->> 'charge')::numeric) as result_charge, sum(input_tokens) as result_input, sum(output_tokens) as result_output
    from receipts group by eval_id
  ), charged as (
    select user_id, month, count(eval_id) as eval_count, count(*) filter (where is_free) as free_count, sum(cost) as cost, sum(charge) as charge,
      sum(charge) filter (where eval_id is not null) as eval_charge,
      sum(case when is_free then 0 else cost * (1 + margin) end) filter (where eval_id is not null) as charge_of_cost
    from charges group by user_id, month
  ), per_eval as (
    select c.*, e.id as stored_id, erased.eval_id as erased_id, e.total_cost, e.charge as eval_charge, s.result_cost, s.result_charge, s.result_input, s.result_output
    from charges c left join evals e on e.id = c.eval_id left join erased_evals erased on erased.eval_id = c.eval_id left join sums s on s.eval_id = c.eval_id
    where c.eval_id is not null
  ), recomputed as (
    select c.user_id, c.month, c.eval_id, r.position, r.cost, coalesce(0.000001 * (
      (r.input_tokens - d.cached - d.written) * (rates ->> 'input')::numeric + d.cached * (rates ->> 'cachedInput')::numeric
      + d.written * (rates ->> 'cacheWrite')::numeric + r.output_tokens * (rates ->> 'output')::numeric), 0) as proven
    from charges c join receipts r on r.eval_id = c.eval_id cross join lateral (
      select nullif(r.details -> 'rates', 'null') as rates, (r.details ->> 'cachedInputTokens')::integer as cached, (r.details ->> 'cacheWriteTokens')::integer as written
    ) d
  ), parts as (
    select user_id, month, 'key' as dimension, key_id as item, 1 as evals, input_tokens, output_tokens, cost, charge from per_eval
    union all
    select user_id, month, 'day', to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD'), 1, input_tokens, output_tokens, cost, charge from per_eval
    union all
    select c.user_id, c.month, 'model', r.model, 1, r.input_tokens, r.output_tokens, r.cost, (r.details ->> 'charge')::numeric
    from per_eval c join receipts r on r.eval_id = c.eval_id
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
  from breakdown_totals b full join proven p using (user_id, month, dimension, item)
  cross join lateral (values
    ('evals', b.eval_count, p.evals), ('input tokens', b.input_tokens, p.input), ('output tokens', b.output_tokens, p.output), ('cost', b.cost, p.cost), ('charge', b.charge, p.charge)
  ) as facts (what, counted, proven) where facts.counted is distinct from facts.proven
  union all
  select p.user_id, p.month, p.eval_id || ': ' || facts.what, facts.counted, facts.proven from per_eval p
  cross join lateral (values
    ('charge row / eval row, cost', p.cost, case when p.erased_id is null then p.total_cost else p.cost end), ('charge row / results, cost', p.cost, p.result_cost),
    ('charge row / eval row, charge', p.charge, case when p.erased_id is null then p.eval_charge else p.charge end), ('charge row / results, charge', p.charge, p.result_charge),
    ('charge row / results, input tokens', p.input_tokens, p.result_input), ('charge row / results, output tokens', p.output_tokens, p.result_output)
  ) as facts (what, counted, proven) where coalesce(p.stored_id, p.erased_id) is not null and facts.counted is distinct from facts.proven
  union all
  select user_id, month, eval_id || case when stored_id is null then ': an eval that is neither stored nor erased' else ': an eval that is both stored and erased' end, charge, null
  from per_eval where (stored_id is null) = (erased_id is null)
  union all
  select user_id, month, eval_id || ': result ' || position || ', cost / tokens × rates', cost, proven from recomputed where cost <> proven
  union all
  select e.user_id, to_char(e.created_at at time zone 'utc', 'YYYY-MM'), e.id || ': an eval without a charge', e.charge, null
  from evals e left join charges c on c.eval_id = e.id where c.id is null
  order by 1, 2, 3
`;

/**
 * `npm run ledger:verify`: proves for every user and month that the counters, the breakdown, the charges, the evals and the results (or what is kept of erased ones) say the same,
 * and that every cost is its tokens at the rates it was computed with.
 * Ends with 1 and the rows that differ.
 */
void runOnDatabase(async ({ em }) => {
  const { rows: months } = await sql<{ count: string; evals: string }>`select count(*), coalesce(sum(eval_count), 0) as evals from month_totals`.execute(em.getKysely());
  const { rows } = await DIFFERENCES.execute(em.getKysely());
  for (const row of rows) print(`${row.user_id} ${row.month}  ${row.what}: ${row.counted} / ${row.proven}`);
  const scope = `${months[0]?.count} months of users, ${months[0]?.evals} evals`;
  if (rows.length > 0) throw new OperatorError(`The books differ in ${rows.length} places (${scope}).`);
  print(`The books are right: ${scope}.`);
});
