-- The eval of each charge is either stored or erased.
select c.user_id as "userId", c.month,
  c.eval_id || case when stored.id is null then ': an eval that is neither stored nor erased' else ': an eval that is both stored and erased' end as fact,
  c.charge as counted, null as proven
from charges c
left join evals stored on stored.id = c.eval_id
left join erased_evals erased on erased.eval_id = c.eval_id
where c.eval_id is not null and (stored.id is null) = (erased.eval_id is null)
