// The code for reruns and drift is one chunk.
export { Drift } from './drift';
export { EarlierEval } from './earlier-eval';
export { RerunDialog } from './rerun-dialog';
