import { sql } from 'kysely';
import { runOnDatabase, say } from './run-command';

interface BookRow {
  user_id: string;
  month: string;
  what: string;
  counted: string;
  proven: string;
}

/** Every place where two of the books do not say the same. */
const DIFFERENCES = sql<BookRow>`
  with charged as (
    select user_id, month, count(eval_id) as eval_count, count(*) filter (where is_free) as free_count, sum(cost) as cost, sum(charge) as charge,
      sum(charge) filter (where eval_id is not null) as eval_charge,
      sum(case when is_free then 0 else cost * (1 + margin) end) filter (where eval_id is not null) as charge_of_cost
    from charges group by user_id, month
  ), per_eval as (
    select c.user_id, c.month, c.cost, c.charge, c.eval_id, e.id as stored_id, e.total_cost, e.charge as eval_charge,
      (select sum(r.cost) from results r where r.eval_id = c.eval_id) as result_cost,
      (select sum((r.details ->> 'charge')::numeric) from results r where r.eval_id = c.eval_id) as result_charge
    from charges c left join evals e on e.id = c.eval_id where c.eval_id is not null
  ), broken_down as (
    select user_id, month, dimension, sum(cost) as cost, sum(charge) as charge from breakdown_totals group by user_id, month, dimension
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
  select b.user_id, b.month, 'breakdown by ' || b.dimension || ': ' || facts.what, facts.counted, facts.proven from broken_down b join charged c using (user_id, month)
  cross join lateral (values ('cost', b.cost, c.cost), ('charge', b.charge, c.eval_charge)) as facts (what, counted, proven) where facts.counted <> facts.proven
  union all
  select p.user_id, p.month, p.eval_id || ': ' || facts.what, facts.counted, facts.proven from per_eval p
  cross join lateral (values
    ('charge row / eval row, cost', p.cost, p.total_cost), ('charge row / results, cost', p.cost, p.result_cost),
    ('charge row / eval row, charge', p.charge, p.eval_charge), ('charge row / results, charge', p.charge, p.result_charge)
  ) as facts (what, counted, proven) where p.stored_id is not null and facts.counted is distinct from facts.proven
  union all
  select e.user_id, to_char(e.created_at at time zone 'utc', 'YYYY-MM'), e.id || ': an eval without a charge', e.charge, null
  from evals e left join charges c on c.eval_id = e.id where c.id is null
  order by 1, 2, 3
`;

/**
 * `npm run books:check`: proves for every user and month that the counters, the charges, the evals and the stored results say the same.
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
