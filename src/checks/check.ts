/** The common members of all checks; names are unique in an eval. */
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
  | { type: 'json'; schema?: object; allow_fence: boolean; find?: boolean }
  | { type: 'number'; value: number; tolerance: number; which: 'last' | 'first' | 'only' }
  | { type: 'length'; min?: number; max?: number; unit: 'characters' | 'words' | 'tokens' }
  | { type: 'similarity'; value: string; min: number; metric: 'levenshtein' | 'token_f1' }
  | { type: 'latency'; max_ms: number; of: 'total' | 'first_token' }
  | { type: 'cost'; max_usd: string }
  | { type: 'finished' }
);

/** The check of one type. */
export type CheckOf<T extends Check['type']> = Extract<Check, { type: T }>;

/** The types of checks, in the order in which they are documented. */
export const CHECK_TYPES = ['equals', 'contains', 'regex', 'json', 'number', 'length', 'similarity', 'latency', 'cost', 'finished'] as const satisfies readonly Check['type'][];

/** Bounds of what a check may hold; the API document says them too. */
export const CHECK_LIMITS = {
  MAX_CHECKS: 20,
  /** Characters of all checks of a request together, written as JSON. */
  MAX_CHARACTERS: 65_536,
  MAX_EQUAL_CHARACTERS: 32_000,
  MAX_VALUES: 20,
  MAX_VALUE_CHARACTERS: 1000,
  MAX_PATTERN_CHARACTERS: 512,
  MAX_SCHEMA_CHARACTERS: 32_768,
  MAX_SCHEMA_DEPTH: 20,
  MAX_SIMILAR_CHARACTERS: 8000,
  MAX_NUMBER: 1e15,
  MAX_LENGTH: 1_000_000,
  MAX_LATENCY_MS: 3_600_000,
  MAX_WEIGHT: 1000,
} as const;

/** The defaults of absent members. */
export const CHECK_DEFAULTS = {
  weight: 1,
  not: false,
  equals: { ignore_case: false, trim: true },
  contains: { mode: 'all', ignore_case: false },
  regex: { flags: '' },
  json: { allow_fence: true },
  number: { tolerance: 0, which: 'last' },
  length: { unit: 'characters' },
  similarity: { metric: 'levenshtein' },
  latency: { of: 'total' },
  cost: {},
  finished: {},
} as const;

/** A check as a request has it, where amounts are numbers. */
export function sentCheck(check: Check): object {
  return check.type === 'cost' ? { ...check, max_usd: Number(check.max_usd) } : check;
}
