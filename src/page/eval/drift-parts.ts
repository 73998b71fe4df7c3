import type * as Parts from '../drift/drift-parts';
import { loadEvaluationStyle } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

type DriftParts = typeof Parts;

/** The code and the styles for running again and comparing, which come when they are first needed. */
async function load<Name extends keyof DriftParts>(name: Name): Promise<DriftParts[Name]> {
  const [parts] = await Promise.all([import('../drift/drift-parts'), loadEvaluationStyle()]);
  return parts[name];
}

export const Drift = lazyPart(() => load('Drift'));
export const EarlierEval = lazyPart(() => load('EarlierEval'));
export const RerunDialog = lazyPart(() => load('RerunDialog'));
