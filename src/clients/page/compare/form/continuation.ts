import { MAX_TURNS } from '../../../../common/turn';
import type { CompareRequest } from '../../../client/client';
import { announce } from '../../parts/notices';
import { contentOf } from './form-content';
import { changeForm, focusField } from './form-state';
import { turnsAfter } from './turns';

/** Goes on after an answer, in the form that `show` shows; undefined if the conversation would have too many turns. */
export function continuation(request: CompareRequest, show: () => void): ((answer: string) => void) | undefined {
  if ((request.options?.history?.length ?? 0) + 2 > MAX_TURNS) return undefined;
  return (answer) => {
    show();
    // Checks say what a good answer to the earlier prompt is.
    changeForm({ ...contentOf(request), prompt: '', input: '', checks: [], history: turnsAfter(request, answer) });
    focusField('prompt');
    announce('The conversation is in the form. Write the next prompt.');
  };
}
