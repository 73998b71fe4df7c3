-- Each charge says what its eval and the eval's results say; of an erased eval, what is left of the results.
with all_results as (
  select eval_id, cost, input_tokens, output_tokens, details from results
  union all
  select eval_id, r.*
  from erased_evals
  cross join lateral jsonb_to_recordset(result_summaries) as r (cost numeric, input_tokens integer, output_tokens integer, details jsonb)
), sums as (
  select eval_id, sum(cost) as cost, sum((details ->> 'charge')::numeric) as charge, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens
  from all_results
  group by eval_id
)
select c.user_id as "userId", c.month, c.eval_id || ': ' || facts.fact as fact, facts.counted, facts.proven
from charges c
left join evals stored on stored.id = c.eval_id
left join erased_evals erased on erased.eval_id = c.eval_id
left join sums s on s.eval_id = c.eval_id
cross join lateral (values
  ('charge row / eval row, cost', c.cost, case when erased.eval_id is null then stored.total_cost else c.cost end),
  ('charge row / results, cost', c.cost, s.cost),
  ('charge row / eval row, charge', c.charge, case when erased.eval_id is null then stored.charge else c.charge end),
  ('charge row / results, charge', c.charge, s.charge),
  ('charge row / results, input tokens', c.input_tokens, s.input_tokens),
  ('charge row / results, output tokens', c.output_tokens, s.output_tokens)
) as facts (fact, counted, proven)
where coalesce(stored.id, erased.eval_id) is not null and facts.counted is distinct from facts.proven
