-- Each stored eval has one result for each of its models and samples, sample by sample and in the order of its models, and is free only with one sample.
select e.user_id as "userId", coalesce(c.month, to_char(e.created_at at time zone 'utc', 'YYYY-MM')) as month, e.id || ': ' || facts.fact as fact, facts.counted, facts.proven
from evals e
left join charges c on c.eval_id = e.id
cross join lateral (
  select count(*) as results, count(*) filter (where model = e.models[1 + position % cardinality(e.models)] and position < e.samples * cardinality(e.models)) as results_in_order
  from results where eval_id = e.id
) r
cross join lateral (values
  ('results / samples × models', r.results, e.samples * cardinality(e.models)),
  ('results in the order of models / results', r.results_in_order, r.results),
  ('samples of a free eval / 1', case when e.is_free then e.samples else 1 end, 1)
) as facts (fact, counted, proven)
where facts.counted <> facts.proven
