import type { StoredCommand } from '../runs/job-command';

/** The questions of an experiment, the same for every row. */
export interface ExperimentSpec {
  /** The template of the commands, with every default filled in. */
  command: StoredCommand;
  /** The options as the caller wrote them. */
  options: object | undefined;
  /** The number of rows that the caller asked for; null for all of the data set. */
  limit: number | null;
}
