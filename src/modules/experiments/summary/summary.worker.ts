import { compareExperiments, type ComparisonOptions, type ExperimentRows } from './comparison';
import { summarizeJudgment } from '../judge/judgment';
import type { JudgmentTask } from '../judge/judgment-task';
import type { SummaryTask } from './compared-models';
import { summarize } from './summary';

/** The arithmetic over the rows of one experiment, or of two; `start` loads the file only. */
export type ExperimentTask =
  | { kind: 'start' }
  | ({ kind: 'summary' } & SummaryTask)
  | ({ kind: 'judgment' } & JudgmentTask)
  | { kind: 'comparison'; before: ExperimentRows; after: ExperimentRows; options: ComparisonOptions };

/** Does a task, in a thread: 100,000 rows take seconds. */
export function run(task: ExperimentTask): unknown {
  switch (task.kind) {
    case 'start':
      return undefined;
    case 'summary':
      return summarize(task);
    case 'judgment':
      return summarizeJudgment(task);
    case 'comparison':
      return compareExperiments(task.before, task.after, task.options);
  }
}
