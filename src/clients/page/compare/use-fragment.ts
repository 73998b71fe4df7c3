import { useEffect } from 'preact/hooks';
import { idsOf } from './efforts';
import { changeForm, linkProblems, showForm } from './form-state';
import { readFragment } from './fragment';
import { models, modelsState } from './models-list';

/**
 * Fills the form with what the fragment of the address says, once the models are known. It runs nothing, and leaves the
 * address, so that a reload shows what was typed since.
 */
export function useFragment(): void {
  const { kind } = modelsState.value;
  useEffect(() => {
    if (kind === 'loading') return undefined;
    takeFragment();
    addEventListener('hashchange', takeFragment);
    return () => removeEventListener('hashchange', takeFragment);
  }, [kind]);
}

function takeFragment(): void {
  const fill = readFragment(location.hash, models.peek().flatMap(idsOf));
  if (fill === undefined) return;
  const { problems, ...content } = fill;
  linkProblems.value = problems;
  changeForm(content);
  showForm();
  history.replaceState(history.state, '', location.pathname + location.search);
}
