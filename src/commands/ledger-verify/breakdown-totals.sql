-- The totals of each key, day and model of a user's month are the sums of its charges, or of their results; what a key holds is the sum of its reservations under a limit.
with all_results as (
  select eval_id, model, cost, input_tokens, output_tokens, details from results
  union all
  select eval_id, r.*
  from erased_evals
  cross join lateral jsonb_to_recordset(result_summaries) as r (model text, cost numeric, input_tokens integer, output_tokens integer, details jsonb)
), eval_charges as (
  select * from charges where eval_id is not null
), parts as (
  select user_id, month, 'key' as dimension, key_id as item, 1 as evals, input_tokens, output_tokens, cost, charge, 0 as held from eval_charges
  union all
  select user_id, month, 'day', to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD'), 1, input_tokens, output_tokens, cost, charge, 0 from eval_charges
  union all
  -- A model with several samples, or at several efforts, counts as one eval.
  select c.user_id, c.month, 'model', split_part(r.model, '@', 1), 1, sum(r.input_tokens), sum(r.output_tokens), sum(r.cost), sum((r.details ->> 'charge')::numeric), 0
  from eval_charges c
  join all_results r on r.eval_id = c.eval_id
  group by c.eval_id, c.user_id, c.month, split_part(r.model, '@', 1)
  union all
  select user_id, month, 'key', key_id, 0, 0, 0, 0, 0, max_charge from reservations where is_key_limited
), proven as (
  select user_id, month, dimension, item, sum(evals) as evals, sum(input_tokens) as input, sum(output_tokens) as output, sum(cost) as cost, sum(charge) as charge, sum(held) as held
  from parts
  group by user_id, month, dimension, item
)
select user_id as "userId", month, 'breakdown by ' || dimension || ' ' || item || ': ' || facts.fact as fact, facts.counted, facts.proven
from breakdown_totals b
full join proven p using (user_id, month, dimension, item)
cross join lateral (values
  ('evals', b.eval_count::numeric, p.evals::numeric),
  ('input tokens', b.input_tokens, p.input),
  ('output tokens', b.output_tokens, p.output),
  ('cost', b.cost, p.cost),
  ('charge', b.charge, p.charge),
  ('held', b.held, p.held)
) as facts (fact, counted, proven)
-- A key that has only ever reserved has a row of zeros.
where facts.counted is distinct from facts.proven and (facts.counted <> 0 or p.user_id is not null)
