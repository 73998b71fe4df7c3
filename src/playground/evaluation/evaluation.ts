// What checks, samples, statistics and agreement need is one chunk: whoever needs one of them soon needs the others.
export { Agreement } from './agreement';
export { CheckEditor } from './check-editor';
export { EvaluationSummary } from './evaluation-summary';
export { SampleSwitch } from './sample-switch';
export { Verdicts } from './verdicts';
