-- The cost and charge of each experiment are the sums of its evals' charges, also of erased ones; so is the cost of each row. No eval of an experiment belongs to none of its rows.
with row_sums as (
  select r.experiment_id, r.row_no, r.attempt, r.cost as counted, coalesce(c.cost, 0) as cost, coalesce(c.charge, 0) as charge
  from experiment_rows r
  left join charges c on c.eval_id = r.eval_id
), sums as (
  select experiment_id, sum(cost) as cost, sum(charge) as charge from row_sums group by experiment_id
)
select e.user_id as "userId", to_char(e.created_at at time zone 'utc', 'YYYY-MM') as month, e.id || ': ' || facts.fact as fact, facts.counted, facts.proven
from experiments e
left join sums s on s.experiment_id = e.id
cross join lateral (values
  ('experiment / charges of its evals, cost', e.cost, coalesce(s.cost, 0)),
  ('experiment / charges of its evals, charge', e.charge, coalesce(s.charge, 0))
) as facts (fact, counted, proven)
where facts.counted <> facts.proven
union all
select e.user_id, to_char(e.created_at at time zone 'utc', 'YYYY-MM'), e.id || ': row ' || r.row_no || ', attempt ' || r.attempt || ', cost / charge of its eval', r.counted, r.cost
from row_sums r
join experiments e on e.id = r.experiment_id
where r.counted <> r.cost
union all
select v.user_id, to_char(v.created_at at time zone 'utc', 'YYYY-MM'), v.id || ': an eval of no row of its experiment', v.charge, null
from evals v
left join experiment_rows r on r.experiment_id = v.experiment_id and r.eval_id = v.id
where v.experiment_id is not null and r.eval_id is null
