/** Changes with every vote on the experiment `$1`, in SQL. */
export const VOTES_VERSION = `(select count(*) || ' ' || coalesce(max(voted_at)::text, '') from experiment_votes where experiment_id = $1)`;

/** The version of an experiment without votes. */
export const WITHOUT_VOTES = '0 ';
