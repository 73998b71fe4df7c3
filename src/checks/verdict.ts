import type { Check } from './check';

/** How a check of a result ended: `error` when it could not be decided, `skipped` when the model failed. */
export type Outcome = 'pass' | 'fail' | 'error' | 'skipped';

/** What a check says of one result. */
export interface Verdict {
  name: string;
  type: Check['type'];
  outcome: Outcome;
  /** 0 or 1, of a similarity the similarity; null where nothing was decided. */
  score: number | null;
  /** Why, in words, where the outcome alone does not say it. */
  reason?: string;
}
