import type { Caller } from '../auth/caller';
import type { Money } from '../common/money';
import type { Check } from '../checks/check';
import type { StoredEval } from '../evals/evals.service';
import type { CompareSettings } from './adapt-parameters';

/** A compare as the caller asked for it, defaults filled in. */
export interface CompareCommand {
  prompt: string;
  input: string | undefined;
  models: string[];
  options: CompareSettings;
  /** How often each model is asked. */
  samples: number;
  checks: readonly Check[];
  /** The eval that this one runs again. */
  rerunOf?: string | undefined;
  /** Refuse when the most it can cost is above this. */
  maxCost?: Money | undefined;
  idempotencyKey?: string | undefined;
}

/** A run that is under way. */
export interface CompareRun {
  caller: Caller;
  command: CompareCommand;
  evalId: string;
  startedAt: Date;
  /** Start on the monotonic clock. */
  startedMs: number;
}

/** What stands after a run; a replay when it stood before. */
export interface CompareOutcome {
  stored: StoredEval;
  isReplay: boolean;
}
