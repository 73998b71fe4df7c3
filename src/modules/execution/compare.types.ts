import type { Check } from '../checks/types';
import type { Money } from '../../common/money';
import type { StoredEval } from '../evals/evals.service';
import type { Result } from '../evals/result.entity';
import type { CompareSettings } from './adapt-parameters';
import type { JobLock } from './job-lock';

/** A compare as the caller asked for it, defaults filled in. */
export interface CompareCommand {
  prompt: string;
  input: string | undefined;
  models: string[];
  options: CompareSettings;
  /** How often each model is called. */
  samples: number;
  checks: readonly Check[];
  /** The eval that this one runs again. */
  rerunOf?: string | undefined;
  /**
   * The experiment of which it is a row. It is never free then, and its checks were compiled when the experiment was
   * created.
   */
  experimentId?: string | undefined;
  /** False if no text of the eval is to be stored. */
  isStored?: boolean | undefined;
  /** The compare is refused if it can cost more. */
  maxCost?: Money | undefined;
  idempotencyKey?: string | undefined;
}

/** The surroundings of a compare. */
export interface CompareContext {
  /** Called with each event; by default events are dropped. */
  onEvent?: OnCompareEvent | undefined;
  /** True if the caller wants what only a stream has: the text while it is written, or its times. */
  isStreamed?: boolean;
  /** The id of the request that waits for it. */
  requestId?: string;
  /** The lock of its background job, if it is one. */
  lock?: JobLock;
}

/**
 * The events of a compare before it ends, in order. `samples` and `sample`, from 0, are absent if there is only one.
 */
export type CompareEvent =
  | { type: 'eval-started'; evalId: string; models: string[]; samples?: number | undefined }
  | { type: 'delta'; model: string; sample?: number | undefined; text: string }
  | { type: 'result-ready'; sample?: number | undefined; result: Result };

/** Receives the events of a compare while it runs. */
export type OnCompareEvent = (event: CompareEvent) => void;

/** The stored eval. `isReplay` is true if it already existed. */
export interface CompareOutcome {
  stored: StoredEval;
  isReplay: boolean;
}
