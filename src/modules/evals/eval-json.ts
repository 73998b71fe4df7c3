/**
 * The statement whose only row and column, `json`, is the answer of GET /evals/:id without details, for the eval $1 of
 * the user $2. Postgres writes the text that the service sends on unread (decision 12 says why); it is what `EvalDto`
 * serializes to, byte for byte.
 */
// Null members and empty warnings are left out, and so are the blanks between members of jsonb. Counts are added as
// bigint, because an integer may overflow.
export const EVAL_AS_JSON = `
  select json_strip_nulls(json_build_object(
    'eval_id', id,
    'prompt', prompt,
    'models', models,
    'results', (
      select coalesce(json_agg(result), '[]') from (
        select model, provider, output, latency_ms, trim_scale(cost) as cost_usd, input_tokens, output_tokens, input_tokens::bigint + output_tokens as total_tokens, error, nullif(warnings, '[]') as warnings
        from results where eval_id = evals.id order by position
      ) as result
    ),
    'meta', json_build_object(
      'total_cost_usd', trim_scale(total_cost),
      'fastest_model', fastest_model,
      'cheapest_model', cheapest_model,
      'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )
  ))::text as json
  from evals where id = $1 and user_id = $2`;
