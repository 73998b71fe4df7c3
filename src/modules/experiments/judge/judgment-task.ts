import type { SummaryTask } from '../summary/compared-models';
import type { CountedVote, JudgeSpec } from './judge-spec';

/** A judge, and its scores by the number of the row: NaN where it gave no answer. */
export interface JudgeScores {
  model: string;
  vendor: string;
  scores: Float64Array;
}

/** The input of the summary of an experiment of judges. `columns` are those of the judged experiment, without other rows. */
export interface JudgmentTask extends SummaryTask {
  spec: JudgeSpec;
  /** The vendor of each judged model; empty where it is not known any more. */
  vendors: readonly string[];
  judges: readonly JudgeScores[];
  /** The characters of the judged answers, by model and row; NaN without one. */
  lengths: readonly Float64Array[];
  votes: readonly CountedVote[];
}
