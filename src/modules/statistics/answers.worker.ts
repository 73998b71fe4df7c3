import { compareAnswers, compareOwnAnswers, type ModelAnswers } from './answer-comparison';
import { pairAnswers, type Answers } from './answer-pairs';

export type ComparisonTask =
  { kind: 'compare' | 'compare-own'; models: readonly ModelAnswers[] } | { kind: 'pair'; models: readonly Answers[] };

/** Does a comparison, in a thread: many long answers take seconds. */
export function run(task: ComparisonTask): unknown {
  switch (task.kind) {
    case 'compare':
      return compareAnswers(task.models);
    case 'compare-own':
      return compareOwnAnswers(task.models);
    case 'pair':
      return pairAnswers(task.models);
  }
}
