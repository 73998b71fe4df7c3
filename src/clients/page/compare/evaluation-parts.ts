import { withLaterStyles } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

// Checks, samples, statistics and agreement come together when one of them is first needed.
const load = () => withLaterStyles(import('../evaluation/evaluation'));

export const Agreement = lazyPart(async () => (await load()).Agreement);
export const CheckEditor = lazyPart(async () => (await load()).CheckEditor);
export const EvaluationSummary = lazyPart(async () => (await load()).EvaluationSummary);
export const Help = lazyPart(async () => (await load()).Help);
export const SampleSwitch = lazyPart(async () => (await load()).SampleSwitch);
export const Verdicts = lazyPart(async () => (await load()).Verdicts);
