/** Counts of the experiments that have not ended. */
export interface ExperimentCounts {
  running: number;
  paused: number;
  erasing: number;
  /** Rows of running experiments that no process works on. */
  rowsWaiting: number;
  /**
   * Seconds since the last row of a running experiment was dealt, of the one for which that is longest; 0 without one.
   */
  silentSeconds: number;
}

/** Selects `ExperimentCounts`. Indexes bound it by the experiments that have not ended and by their dealt rows. */
export const EXPERIMENT_COUNTS = `
  select count(*) filter (where state = 'running')::integer as running, count(*) filter (where state = 'paused')::integer as paused,
    (select count(*)::integer from experiments where state = 'erasing') as erasing,
    coalesce(sum(row_count - next_no + open - dealt) filter (where state = 'running'), 0)::double precision as "rowsWaiting",
    coalesce(extract(epoch from clock_timestamp() - min(coalesce(dealt_at, created_at)) filter (where state = 'running')), 0)::double precision as "silentSeconds"
  from experiments cross join lateral (select count(*) as dealt from experiment_rows where experiment_id = experiments.id and experiment_rows.state = 'dealt') as held
  where state in ('running', 'paused')`;
