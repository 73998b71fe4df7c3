-- The cost of each result is its tokens at the rates it was computed with, which are USD for a million tokens, or the lower cost that the vendor stated.
with all_results as (
  select eval_id, position, cost, input_tokens, output_tokens, details from results
  union all
  select eval_id, r.*
  from erased_evals
  cross join lateral jsonb_to_recordset(result_summaries) as r (position integer, cost numeric, input_tokens integer, output_tokens integer, details jsonb)
), recomputed as (
  select c.user_id, c.month, c.eval_id, r.position, r.cost, coalesce(least(d.stated, 0.000001 * (
    (r.input_tokens - d.cached - d.written) * (d.rates ->> 'input')::numeric + d.cached * (d.rates ->> 'cachedInput')::numeric
    + d.written * (d.rates ->> 'cacheWrite')::numeric + r.output_tokens * (d.rates ->> 'output')::numeric)), 0) as proven
  from charges c
  join all_results r on r.eval_id = c.eval_id
  cross join lateral (
    select nullif(r.details -> 'rates', 'null') as rates, (r.details ->> 'cachedInputTokens')::integer as cached, (r.details ->> 'cacheWriteTokens')::integer as written, (r.details ->> 'statedCost')::numeric as stated
  ) d
)
select user_id as "userId", month, eval_id || ': result ' || position || ', cost / tokens × rates' as fact, cost as counted, proven
from recomputed
where cost <> proven
