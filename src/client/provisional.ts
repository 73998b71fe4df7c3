// Provisional: until the API document has them.
export interface EvalChecksDto { passed: number; definitions: { type: string; name: string }[]; by_model: { model: string; passed: number; failed: number; errored: number; score: number | null }[] }
