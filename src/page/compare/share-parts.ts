import { loadEvaluationStyle } from '../load-style';
import { lazyPart } from '../parts/lazy-part';

/** The dialog that shares an eval, which comes when it is first opened. */
export const ShareDialog = lazyPart(async () => {
  const [parts] = await Promise.all([import('../share/share-dialog'), loadEvaluationStyle()]);
  return parts.ShareDialog;
});
