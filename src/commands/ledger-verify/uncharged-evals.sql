-- Each stored eval has a charge, be it of nothing.
select e.user_id as "userId", to_char(e.created_at at time zone 'utc', 'YYYY-MM') as month, e.id || ': an eval without a charge' as fact, e.charge as counted, null as proven
from evals e
left join charges c on c.eval_id = e.id
where c.id is null
