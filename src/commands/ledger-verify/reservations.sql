-- What each user's month holds is what its reservations hold.
with reserved as (
  select user_id, month, count(*) filter (where is_free) as free_held, sum(max_charge) as held
  from reservations
  group by user_id, month
)
select t.user_id as "userId", t.month, facts.*
from month_totals t
left join reserved r using (user_id, month)
cross join lateral (values
  ('free evals held / reservations', t.free_held::numeric, coalesce(r.free_held, 0)),
  ('held / reservations', t.held, coalesce(r.held, 0))
) as facts (fact, counted, proven)
where facts.counted <> facts.proven
union all
select r.user_id, r.month, 'reservations without a counter', 0, r.held
from reserved r
left join month_totals t using (user_id, month)
where t.user_id is null
