import type * as Evaluation from '../evaluation/evaluation';
import { loadEvaluationStyle } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

type Parts = typeof Evaluation;

/** The code and the styles of checks, samples, statistics and agreement, which come when they are first needed. */
async function load<Name extends keyof Parts>(name: Name): Promise<Parts[Name]> {
  const [parts] = await Promise.all([import('../evaluation/evaluation'), loadEvaluationStyle()]);
  return parts[name];
}

export const CheckEditor = lazyPart(() => load('CheckEditor'));
export const Help = lazyPart(() => load('Help'));
export const SampleSwitch = lazyPart(() => load('SampleSwitch'));
export const Verdicts = lazyPart(() => load('Verdicts'));
export const EvaluationSummary = lazyPart(() => load('EvaluationSummary'));
export const Agreement = lazyPart(() => load('Agreement'));
