import type { Caller } from '../auth/caller';
import type { Money } from '../common/money';
import type { Check } from '../checks/check';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';
import type { CompareSettings } from './adapt-parameters';
import type { RunClaim } from './runs/run.types';

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

/** A compare that is under way. */
export interface CompareRun {
  caller: Caller;
  command: CompareCommand;
  evalId: string;
  /** When it began, which decides its month and its prices. */
  startedAt: Date;
  /** Start on the monotonic clock. */
  startedMs: number;
  /** The same of its last round so far: deadlines hold for each round. */
  roundStartedMs: number;
  /** How long vendors were waited for so far, in milliseconds: of each round the slowest. */
  vendorMs: number;
  /** The background run, if it is one. */
  claim?: RunClaim | undefined;
}

/** The events of a run before it ends, in order: it starts, texts grow, results land. `samples` and `sample`, from 0, are absent if there is only one. */
export type RunEvent =
  | { type: 'eval-started'; evalId: string; models: string[]; samples?: number | undefined }
  | { type: 'delta'; model: string; sample?: number | undefined; text: string }
  | { type: 'result-ready'; sample?: number | undefined; result: Result };

/** Listens to a run while it happens. */
export type OnRunEvent = (event: RunEvent) => void;

/** The stored eval. `isReplay` is true if it already existed. */
export interface CompareOutcome {
  stored: StoredEval;
  isReplay: boolean;
}
