// Provisional: until the API document has them.
export interface EvalChecksDto { passed: number; definitions: { type: string; name: string }[]; by_model: { model: string; passed: number; failed: number; errored: number; score: number | null }[] }
// eslint-disable-next-line local/plain-words -- the word of the interface
export interface RunDto { run_id: string; eval_id: string; status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'; created_at: string; started_at?: string; finished_at?: string; error?: { code: string; message: string } }
