// The code for checks, samples, statistics and agreement is one chunk: they are usually needed together.
export { Agreement } from './agreement';
export { CheckEditor } from './check-editor';
export { EvaluationSummary } from './evaluation-summary';
export { Help } from './help';
export { SampleSwitch } from './sample-switch';
export { Verdicts } from './verdicts';
