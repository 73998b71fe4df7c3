import { withLaterStyles } from './load-style';
import { lazyPart } from './parts/lazy-part';

// The parts whose code and styles come when they are first needed. Each folder is one chunk.
const evaluation = () => withLaterStyles(import('./evaluation/evaluation'));
const drift = () => withLaterStyles(import('./drift/drift-parts'));

export const Agreement = lazyPart(async () => (await evaluation()).Agreement);
export const CheckEditor = lazyPart(async () => (await evaluation()).CheckEditor);
export const EvaluationSummary = lazyPart(async () => (await evaluation()).EvaluationSummary);
export const Help = lazyPart(async () => (await evaluation()).Help);
export const SampleSwitch = lazyPart(async () => (await evaluation()).SampleSwitch);
export const Verdicts = lazyPart(async () => (await evaluation()).Verdicts);
export const Drift = lazyPart(async () => (await drift()).Drift);
export const EarlierEval = lazyPart(async () => (await drift()).EarlierEval);
export const RerunDialog = lazyPart(async () => (await drift()).RerunDialog);
export const ChoiceFoot = lazyPart(async () => (await withLaterStyles(import('./choice/choice-foot'))).ChoiceFoot);
export const CodeDialog = lazyPart(async () => (await withLaterStyles(import('./code/code-dialog'))).CodeDialog);
export const ShareDialog = lazyPart(async () => (await withLaterStyles(import('./share/share-dialog'))).ShareDialog);
