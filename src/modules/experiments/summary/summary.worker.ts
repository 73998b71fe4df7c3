import { compareExperiments, type ComparisonOptions, type ExperimentRows } from './comparison';
import type { SummaryTask } from './compared-models';
import { summarize } from './summary';

/** The arithmetic over the rows of one experiment, or of two; `start` loads the file only. */
export type ExperimentTask =
  | { kind: 'start' }
  | ({ kind: 'summary' } & SummaryTask)
  | { kind: 'comparison'; before: ExperimentRows; after: ExperimentRows; options: ComparisonOptions };

/** Does a task, in a thread: 100,000 rows take seconds. */
export function run(task: ExperimentTask): unknown {
  switch (task.kind) {
    case 'start':
      return undefined;
    case 'summary':
      return summarize(task);
    case 'comparison':
      return compareExperiments(task.before, task.after, task.options);
  }
}
