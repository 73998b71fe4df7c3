// Types of routes that docs/openapi.json does not have yet; api.gen.ts replaces them.

type Interval = [number, number] | null;
type Verdict = 'better' | 'not_worse' | 'worse' | 'cannot_tell';

interface Rate { rate: number; ci: Interval; method: string }
interface Mean { mean: number; ci: Interval; method: string }

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

interface ModelSummary {
  model: string;
  rows: number;
  answered: number;
  failed: number;
  coverage: number;
  passed: Rate | null;
  all_pass_rate: number | null;
  any_pass_rate: number | null;
  score: Mean | null;
  checks: (Rate & { name: string })[];
  latency_ms: { p50: number | null; p50_ci: Interval; p90: number | null; p90_ci: Interval; method: string; timeouts: number } | null;
  cost_usd: (Mean & { total: number; mean_without_cache: number }) | null;
  output_tokens: Mean | null;
  self_agreement: number | null;
}

interface ModelPair {
  models: string[];
  metric: 'passed' | 'score' | 'latency_ms' | 'cost_usd';
  rows: number;
  difference: number | null;
  ratio: number | null;
  ci: Interval;
  p_value: number | null;
  p_adjusted: number | null;
  verdict: 'better' | 'worse' | 'cannot_tell' | null;
  words: string;
  flips: { gained: number; lost: number } | null;
  detectable_difference: number | null;
}

/** GET /experiments/{id}/summary */
export interface ExperimentSummary {
  final: boolean;
  rows: number;
  groups: number;
  coverage: number | null;
  models: ModelSummary[];
  pairs: ModelPair[];
  ranking: { metric: 'passed' | 'score'; models: { model: string; rank: { best: number; worst: number } }[] } | null;
  headline: string;
  warnings: string[];
}

interface MetricChange {
  rows: number;
  before: number | null;
  after: number | null;
  difference: number | null;
  ratio: number | null;
  ci: Interval;
  p_value: number | null;
  p_adjusted: number | null;
  verdict: Verdict | null;
  rows_needed: number | null;
}

interface ModelComparison {
  model: string;
  against_model: string;
  metrics: { passed: MetricChange | null; score: MetricChange | null; cost_usd: MetricChange | null; output_tokens: MetricChange | null };
  latency_ms: { before: number | null; after: number | null };
  flips: { gained_count: number; lost_count: number; gained: string[]; lost: string[] };
  verdict: Verdict | null;
  words: string;
}

/** GET /experiments/{id}/comparison */
export interface ExperimentComparison {
  final: boolean;
  rows: number;
  unmatched: { count: number; row_ids: string[] };
  tolerance: number;
  models: ModelComparison[];
  response_models: { model: string; before: string[]; after: string[] }[];
  request_changed: string[];
  verdict: Verdict | null;
  words: string;
}

/** Query of GET /experiments/{id}/comparison. */
export interface ExperimentComparisonQuery { against: string; model?: string; against_model?: string; tolerance?: number }

/** DELETE /experiments/{id} */
export interface ExperimentErasure { experiment_id: string; state: string }
