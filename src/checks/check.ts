/** What every check has; names are unique in an eval. */
interface CheckFields {
  name: string;
  /** How much it counts in the score of a result; above 0. */
  weight: number;
  /** Turns pass into fail and fail into pass. */
  not: boolean;
}

/** A check of the answer of a model, with defaults filled in and members as on the wire. */
export type Check = CheckFields & (
  | { type: 'equals'; value: string; ignore_case: boolean; trim: boolean }
  | { type: 'contains'; values: string[]; mode: 'all' | 'any'; ignore_case: boolean }
  | { type: 'regex'; pattern: string; flags: string }
  | { type: 'json'; schema?: unknown; allow_fence: boolean }
  | { type: 'number'; value: number; tolerance: number; which: 'last' | 'first' | 'only' }
  | { type: 'length'; min?: number; max?: number; unit: 'characters' | 'words' | 'tokens' }
  | { type: 'similarity'; value: string; min: number; metric: 'levenshtein' | 'token_f1' }
  | { type: 'latency'; max_ms: number; of: 'total' | 'first_token' }
  | { type: 'cost'; max_usd: string }
  | { type: 'finished' }
);
