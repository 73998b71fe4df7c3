import { ApiError } from '../../common/errors';
import { compareExperiments, type ComparisonOptions, type ExperimentRows } from './comparison';
import type { ExperimentComparisonDto } from './comparison.dto';
import type { SummaryTask } from './compared-models';
import { summarize } from './summary';
import type { ExperimentSummaryDto } from './summary.dto';

/** The arithmetic over the rows of one experiment, or of two; `start` loads the file only. */
export type ExperimentTask = { kind: 'start' } | ({ kind: 'summary' } & SummaryTask) | { kind: 'comparison'; before: ExperimentRows; after: ExperimentRows; options: ComparisonOptions };

/** The result of a task. An error of the caller is named, because its class would be lost between threads. */
export type ExperimentAnswer = { summary: ExperimentSummaryDto } | { comparison: ExperimentComparisonDto } | { error: 'not_comparable' } | undefined;

/** Does a task, in a thread: 100,000 rows take seconds. */
export function run(task: ExperimentTask): ExperimentAnswer {
  switch (task.kind) {
    case 'start': return undefined;
    case 'summary': return { summary: summarize(task) };
    case 'comparison': return compared(task);
  }
}

function compared({ before, after, options }: Extract<ExperimentTask, { kind: 'comparison' }>): ExperimentAnswer {
  try {
    return { comparison: compareExperiments(before, after, options) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_comparable') return { error: error.code };
    throw error;
  }
}
