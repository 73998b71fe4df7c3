-- The totals of each user's month are the sums of its charges, and what its evals are charged is their cost and the margin.
with charged as (
  select user_id, month, count(eval_id) as eval_count, count(*) filter (where is_free) as free_count, sum(cost) as cost, sum(charge) as charge,
    sum(charge) filter (where eval_id is not null) as eval_charge,
    sum(case when is_free then 0 else cost * (1 + margin) end) filter (where eval_id is not null) as charge_of_cost
  from charges
  group by user_id, month
)
select t.user_id as "userId", t.month, facts.*
from month_totals t
left join charged c using (user_id, month)
cross join lateral (values
  ('evals: counter / charges', t.eval_count::numeric, coalesce(c.eval_count, 0)),
  ('free evals: counter / charges', t.free_eval_count, coalesce(c.free_count, 0)),
  ('cost: counter / charges', t.cost, coalesce(c.cost, 0)),
  ('charge: counter / charges', t.charge, coalesce(c.charge, 0)),
  ('charge of evals / cost × (1 + margin)', coalesce(c.eval_charge, 0), coalesce(c.charge_of_cost, 0))
) as facts (fact, counted, proven)
where facts.counted <> facts.proven
union all
select c.user_id, c.month, 'charges without a counter', 0, c.charge
from charged c
left join month_totals t using (user_id, month)
where t.user_id is null
