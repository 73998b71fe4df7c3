/** The members of `ExperimentWithRunning`, in SQL. */
export const COLUMNS = `id, user_id as "userId", key_id as "keyId", dataset_id as "datasetId", name, spec, state, reason, reason_detail as "reasonDetail", row_count as "rowCount", next_no as "nextNo", open, done, failed,
  cost, charge, max_cost as "maxCost", parallel, summary, decision, created_at as "createdAt", started_at as "startedAt", finished_at as "finishedAt", running, "costSpread"`;

/** Experiments with their dealt rows, and of open ones the spread of the costs of rows. */
export const FROM = `from experiments cross join lateral (select count(*)::integer as running from experiment_rows where experiment_id = experiments.id and experiment_rows.state = 'dealt') as dealt
  cross join lateral (select stddev_samp(cost)::double precision as "costSpread" from experiment_rows where experiment_id = experiments.id and experiments.state in ('running', 'paused') and experiment_rows.state in ('done', 'failed')) as ended`;

/** Changes with every vote on the experiment `$1`, in SQL. */
export const VOTES_VERSION = `(select count(*) || ' ' || coalesce(max(voted_at)::text, '') from experiment_votes where experiment_id = $1)`;

/** The version of an experiment without votes. */
export const WITHOUT_VOTES = '0 ';
