import { loadEvaluationStyle } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

/** The question below the answers, and the choice with its figures; their code comes with the first eval. */
export const ChoiceFoot = lazyPart(async () => {
  const [parts] = await Promise.all([import('../choice/choice-foot'), loadEvaluationStyle()]);
  return parts.ChoiceFoot;
});

/** The code of a run, which comes when it is first asked for. */
export const CodeDialog = lazyPart(async () => {
  const [parts] = await Promise.all([import('../code/code-dialog'), loadEvaluationStyle()]);
  return parts.CodeDialog;
});
