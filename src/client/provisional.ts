// Types of routes that docs/openapi.json does not have yet; api.gen.ts replaces them.

interface RowError { code: string; message: string }

interface RowResult {
  model: string;
  sample?: number;
  output: string;
  passed: boolean | null;
  score: number | null;
  latency_ms: number;
  cost_usd: number;
  error?: RowError;
}

/** A row of an experiment. */
export interface ExperimentRow {
  row_no: number;
  row_id: string;
  attempt: number;
  state: string;
  eval_id: string | null;
  error?: RowError;
  input: string | null;
  expected: string | null;
  group?: string | null;
  cost_usd: number;
  results: RowResult[];
}

/** A page of them. */
export interface ExperimentRowList { rows: ExperimentRow[] }

/** Query of GET /experiments/{id}/rows. */
export interface ExperimentRowQuery { state?: 'done' | 'failed' | 'missing'; limit?: number; cursor?: string }

/** DELETE /experiments/{id} */
export interface ExperimentErasure { experiment_id: string; state: string }
